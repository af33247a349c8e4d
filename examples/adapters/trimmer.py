"""A trimmer, whole: the oldest messages go first. plimsoll check -- python3 trimmer.py"""
import plimsoll


def oldest_first(messages, maximum):
    stay, kept = plimsoll.must_stay(messages), list(messages)
    for group in plimsoll.groups(messages):  # a call goes together with its results
        if sum(map(plimsoll.visible, kept)) > maximum and not any(m["id"] in stay for m in group):
            kept = [m for m in kept if m not in group]
    if sum(map(plimsoll.visible, kept)) > maximum:
        raise plimsoll.Infeasible
    return kept


plimsoll.run(plimsoll.trimmer(oldest_first, {"fit": {"unit": "messages", "max": "any"}}))
