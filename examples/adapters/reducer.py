"""A reducer, whole: the largest removable block gives first. plimsoll check -- python3 reducer.py"""
import plimsoll


def largest_first(blocks, maximum):
    texts = [block["text"] for block in blocks]
    joined = lambda: "\n\n".join(text for text in texts if text)  # noqa: E731
    before = len(joined())
    removable = [n for n, block in enumerate(blocks) if not block["required"]]
    for n in sorted(removable, key=lambda n: len(texts[n]), reverse=True):
        if len(joined()) > maximum:
            over = len(joined()) - maximum
            texts[n] = texts[n][:max(0, len(texts[n]) - over)]  # an empty block goes, and its separator with it
    text = joined()
    if len(text) > maximum:
        raise plimsoll.Infeasible
    return text, {"before": before, "after": len(text)} if before > maximum else None


plimsoll.run(plimsoll.reducer(largest_first, {"field": {"unit": "code_points", "max": "any"}}))
