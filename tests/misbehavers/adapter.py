"""An adapter that misbehaves in one way: `adapter.py MODE PIDS`.

It is a sound candidate, a small one, until a case has its turn (see `turn`); then it does what its
mode says, once in a run. It speaks the protocol by hand, for a helper would not let it misbehave.
Its process id and those of what it starts go into the directory PIDS, a file each, so that a test
can see whether one of them is left.
"""

import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

MODE, PIDS = sys.argv[1], sys.argv[2]

# From this case on, of those that one process sees, it is the turn of whoever comes first.
TURN = 8


def note(pid):
    open(os.path.join(PIDS, str(pid)), "w").close()


def raw(data):
    data = data if isinstance(data, bytes) else data.encode()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def line(value):
    raw(json.dumps(value) + "\n")


def reply(number, result):
    line({"jsonrpc": "2.0", "id": number, "result": result})


def sleep():
    time.sleep(600)


# ---- the sound candidate ------------------------------------------------------------------------


class Conversation:
    def __init__(self):
        self.log, self.view, self.own = [], [], 0

    def say(self, **members):
        self.own += 1
        said = {"id": "own%d" % self.own, **members}
        return said


conversations = {}
cases = 0
asked = 0
# What answers instead of the host, while a case is played that came in one line.
script = None


def conversation(name):
    return conversations.setdefault(name, Conversation())


def summarize(number, **params):
    """Asks the host; the text, or None where there is none that can be used."""
    global asked
    if script is not None:
        return script(params)
    asked += 1
    line({"jsonrpc": "2.0", "id": "s%d" % asked, "method": "summarize", "params": params})
    answer = json.loads(sys.stdin.readline())
    result = answer.get("result") or {}
    return result.get("text") if result.get("stop") == "end" else None


def step(number, params):
    """Summarises everything but the system prompt and the last message, where that is a saving."""
    kept = conversation(params["conversation"])
    result = {"action": "none", "appended": [], "view": None}
    seen = [item for item in kept.view if not item.get("ui_only")]
    old = seen[1:-1]
    if params["pressure"] != "summarize" or len(old) < 4 or any(i.get("pinned") or i.get("calls") for i in seen):
        return result
    text = summarize(number, items=[{"id": item["id"]} for item in old])
    if not text or not text.strip() or len(text) >= sum(len(item["content"]) for item in old):
        return result
    summary = kept.say(role="assistant", content=text, summary=True)
    kept.view = [seen[0], summary, seen[-1]]
    if MODE == "batch-two-faces" and script is not None:
        # In a case of one line it does what it does not line by line.
        kept.view.reverse()
    return {"action": "summarize", "appended": [], "view": kept.view}


# Those that take a whole case in one line.
WHOLE = MODE.startswith("batch-") or MODE == "stops-reading"

HELLO = {
    "protocol": 1, "name": MODE, "version": "1", "batch": WHOLE,
    "contract": {
        "capabilities": ["summarize", "view", "log"],
        "messages": ["ui_only", "hidden", "reasoning", "system"],
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    },
}


def answer(number, method, params):
    global cases, conversations
    if method == "hello":
        return HELLO
    if method == "reset":
        conversations = {}
        cases += 1
        return {}
    if method == "append":
        kept = conversation(params["conversation"])
        kept.log += params["messages"]
        kept.view += params["messages"]
        return {}
    if method == "step":
        if MODE == "moody" and again(params["conversation"]):
            return {"action": "none", "appended": [], "view": None}
        return step(number, params)
    if method == "view":
        kept = conversation(params["conversation"])
        return {"view": kept.view, "log": kept.log}
    if method == "case":
        return case(params)
    return {}


def again(name):
    """Whether this state of a conversation comes for the second time, or the fourth, in whatever process."""
    said = repr([(message["id"], message["content"]) for message in conversation(name).log])
    seen = os.open(os.path.join(PIDS, "seen-" + hashlib.sha1(said.encode()).hexdigest()), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.write(seen, b".")
    times = os.fstat(seen).st_size
    os.close(seen)
    return times % 2 == 0


def case(params):
    """A whole case: what is answered to each request, and the calls of the summariser."""
    global script
    summaries, results, calls = params["summaries"], [], []
    for index, request in enumerate(params["requests"]):
        answers = iter(summaries["steps"].get(str(index), ()))

        def script(sent):
            calls.append({"request": index, "params": sent})
            result = next(answers, summaries["default"])
            return result.get("text") if result.get("stop") == "end" else None

        # What a result holds is changed by the requests after it.
        results.append({"result": json.loads(json.dumps(answer(index, request["method"], request["params"])))})
    script = None
    return {"results": results, "summarize_calls": calls}


def first():
    """Whether no process of this run has been here before."""
    try:
        os.close(os.open(os.path.join(PIDS, "done"), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def turn(method):
    """Whether it is to misbehave now: at a step, or at a case that comes in one line, once in a run."""
    return method == ("case" if WHOLE else "step") and cases >= TURN and first()


# ---- the ways to misbehave ----------------------------------------------------------------------
# Each takes the number and the parameters of a request and answers in its own way, or raises.


def step_result(number, **members):
    reply(number, {"action": "none", "appended": [], "view": None, **members})


def spawn(group):
    """A process that keeps the pipes open, in the group of this one or not."""
    child = subprocess.Popen(["sleep", "600"], start_new_session=group == "own")
    note(child.pid)


def exit_in_step(number, params):
    sys.stderr.write("no \x1b[31mluck\n")
    sys.stderr.flush()
    os._exit(3)


def exit_in_call(number, params):
    line({"jsonrpc": "2.0", "id": "x", "method": "summarize", "params": {"text": "x"}})
    os._exit(5)


def exit_after_reply(number, params):
    step_result(number)
    os._exit(0)


def killed(number, params):
    os.kill(os.getpid(), signal.SIGKILL)


def aborts(number, params):
    os.abort()


def hang_before(number, params):
    sleep()


def hang_in_line(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"resu' % number)
    sleep()


def hang_after_line(number, params):
    step_result(number)
    sleep()


def stops_itself(number, params):
    os.kill(os.getpid(), signal.SIGSTOP)


def ignores_signals(number, params):
    for sort in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sort, signal.SIG_IGN)
    sleep()


def drips(number, params):
    while True:
        raw(" ")
        time.sleep(0.01)


def blank_lines(number, params):
    while True:
        raw("\n" * 4096)


def closes_stdout(number, params):
    os.close(1)
    sleep()


def closes_stdin(number, params):
    os.close(0)
    sleep()


def stops_reading(number, params):
    # A pipe of one page: the next line is longer than that, and whoever writes it is kept waiting.
    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ if hasattr(fcntl, "F_SETPIPE_SZ") else 1031, 4096)
    reply(number, case(params))
    sleep()


def wrong_id(number, params):
    step_result(number + 1)


def text_id(number, params):
    step_result(str(number))


def twice(number, params):
    step_result(number)
    step_result(number)


def out_of_order(number, params):
    step_result(number - 1)
    step_result(number)


def never_asked(number, params):
    step_result(99999)
    step_result(number)


def not_json(number, params):
    raw("thinking ...\n")


def half_a_line(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"res\n' % number)


def half_a_line_and_exit(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"res' % number)
    os._exit(0)


def huge_line(number, params):
    chunk = b"x" * (1 << 20)
    for _ in range(1 << 10):
        raw(chunk)
    raw("\n")


def many_values(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"result":[' % number + '{"":0},' * 9_000_000 + "0]}\n")


def nul_bytes(number, params):
    raw(b'{"jsonrpc":"2.0","id":%d,"result":\0{}}\n' % number)


def bad_utf8(number, params):
    raw(b'{"jsonrpc":"2.0","id":%d,"result":{"action":"\xff\xfe"}}\n' % number)


def lone_surrogate(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"result":{"action":"\\ud800","appended":[],"view":null}}\n' % number)


def deep(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (number, "[" * 100_000 + "]" * 100_000))


def missing_member(number, params):
    reply(number, {"action": "none", "view": None})


def ill_typed(number, params):
    step_result(number, appended={"id": "own1"})


def unknown_id(number, params):
    step_result(number, view=[{"id": "m99999"}])


def same_own_id(number, params):
    own = [{"id": "own1", "role": "system", "content": text, "ui_only": True} for text in "ab"]
    step_result(number, appended=own)


def huge_number(number, params):
    raw('{"jsonrpc":"2.0","id":%d,"result":{"action":1e999,"appended":[],"view":null}}\n' % number)


def huge_id(number, params):
    raw('{"jsonrpc":"2.0","id":%d0000000000000000000000,"result":{}}\n' % number)


def no_version(number, params):
    line({"id": number, "result": {"action": "none", "appended": [], "view": None}})


def both_members(number, params):
    line({"jsonrpc": "2.0", "id": number, "result": {}, "error": {"code": 1, "message": "x"}})


def another_method(number, params):
    line({"jsonrpc": "2.0", "id": 1, "method": "log", "params": {}})


def notification(number, params):
    line({"jsonrpc": "2.0", "method": "log", "params": {}})


def asks_outside(number, params):
    step_result(number)
    line({"jsonrpc": "2.0", "id": 1, "method": "summarize", "params": {"text": "x"}})


def prints(number, params):
    print("loaded 3 models", flush=True)
    step_result(number)


def floods_stderr(number, params):
    chunk = b"x" * (1 << 20)
    for _ in range(1 << 10):
        sys.stderr.buffer.write(chunk)
    sys.stderr.flush()
    step_result(number)


def grandchild(number, params):
    spawn("same")
    os._exit(4)


def grandchild_apart(number, params):
    spawn("own")
    os._exit(4)


def grandchild_kept(number, params):
    spawn("own")
    step_result(number)


def asks_without_end(number, params):
    while True:
        summarize(number, text="x")


def raises(number, params):
    line({"jsonrpc": "2.0", "id": number, "error": {"code": -32000, "message": "no \x1b[2Jluck <b>"}})


def method_not_found(number, params):
    line({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "what?"}})


# ---- with a whole case in one line --------------------------------------------------------------


def steps(params):
    return [index for index, request in enumerate(params["requests"]) if request["method"] == "step"]


def batch_few(number, params):
    result = case(params)
    result["results"].pop()
    reply(number, result)


def batch_many(number, params):
    result = case(params)
    result["results"].append({"result": {}})
    reply(number, result)


def batch_wrong_id(number, params):
    reply(number - 1, case(params))


def batch_another_case(number, params):
    """The right number of answers, out of a conversation that nobody has had."""
    result = case(params)
    for entry in result["results"]:
        for item in entry["result"].get("view") or ():
            item["id"] = "x" + item["id"]
            item["content"] = "of another case"
    reply(number, result)


def batch_out_of_order(number, params):
    result = case(params)
    result["results"].reverse()
    reply(number, result)


def batch_calls_out_of_order(number, params):
    calls = [{"request": index, "params": {"text": "x"}} for index in (steps(params) * 2)[:2]]
    calls.append({"request": 0, "params": {"text": "x"}})
    reply(number, {**case(params), "summarize_calls": calls})


def batch_call_of_no_request(number, params):
    reply(number, {**case(params), "summarize_calls": [{"request": 9999, "params": {"text": "x"}}]})


def batch_no_calls(number, params):
    reply(number, {"results": case(params)["results"]})


def batch_results_of_another_type(number, params):
    reply(number, {**case(params), "results": {"0": {"result": {}}}})


def batch_neither(number, params):
    result = case(params)
    result["results"][-1] = {}
    reply(number, result)


def batch_both(number, params):
    result = case(params)
    result["results"][-1]["error"] = {"code": 1, "message": "x"}
    reply(number, result)


def batch_cut(number, params):
    text = json.dumps({"jsonrpc": "2.0", "id": number, "result": case(params)})
    raw(text[:len(text) // 2] + "\n")


def batch_cut_and_exit(number, params):
    text = json.dumps({"jsonrpc": "2.0", "id": number, "result": case(params)})
    raw(text[:len(text) // 2])
    os._exit(6)


def batch_hang(number, params):
    text = json.dumps({"jsonrpc": "2.0", "id": number, "result": case(params)})
    raw(text[:len(text) // 2])
    sleep()


def batch_exit(number, params):
    case({**params, "requests": params["requests"][:2]})
    os._exit(7)


def batch_refuses(number, params):
    line({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "method not found: case"}})


def batch_asks_the_host(number, params):
    line({"jsonrpc": "2.0", "id": "s", "method": "summarize", "params": {"text": "x"}})
    sys.stdin.readline()
    reply(number, case(params))


def batch_answers_each(number, params):
    """As if they had come one by one."""
    for entry in case(params)["results"]:
        reply(number, entry["result"])


def raised(number, params, beside):
    """The first step raises; `beside` stands by its error."""
    result = case(params)
    at = steps(params)[0]
    result["results"][at] = {"error": {"code": -32000, "message": "no"}, **beside}
    result["summarize_calls"] = [call for call in result["summarize_calls"] if call["request"] != at]
    reply(number, result)


def batch_no_state(number, params):
    raised(number, params, {})


def batch_null_state(number, params):
    raised(number, params, {"state": None})


def batch_list_for_state(number, params):
    raised(number, params, {"state": []})


def batch_state_without_log(number, params):
    raised(number, params, {"state": {"view": []}})


def batch_bad_item_in_state(number, params):
    raised(number, params, {"state": {"view": [{"role": "user", "content": 7}], "log": []}})


# ---- those that misbehave all along -------------------------------------------------------------


def extra_members(method, result):
    return {**result, "colour": {"of": ["the", "sky"]}, "\u202e": None}


def ten_thousand_calls(number, params):
    for _ in range(10_000):
        summarize(number, text="x")
    return step(number, params)


def slow(method, result):
    time.sleep(0.003)
    return result


def always_ill_typed(method, result):
    return {**result, "appended": {"id": "own1"}} if method == "step" else result


def always_exits(method, result):
    """Never answers a step, and says something else each time before it is gone."""
    if method == "step":
        print("step", os.getpid(), "failed", file=sys.stderr, flush=True)
        os._exit(8)
    return result


AT_HELLO = {
    "exit-at-once": None,
    "exit-at-hello": lambda number: os._exit(1),
    "hang-at-hello": lambda number: sleep(),
    "closes-stdout-at-hello": lambda number: (os.close(1), sleep()),
    "wrong-version": lambda number: reply(number, {**HELLO, "protocol": 7}),
    "contradiction": lambda number: reply(
        number, {**HELLO, "contract": {"capabilities": ["latch", "summarize"], "latch": {"strikes": 0}}}
    ),
    "no-contract": lambda number: reply(number, {"protocol": 1, "name": "x", "version": "1"}),
    "error-at-hello": lambda number: line(
        {"jsonrpc": "2.0", "id": number, "error": {"code": 1, "message": "no \x1b]0;title\x07model"}}
    ),
    "banner": lambda number: raw("Welcome!\n"),
}

ALL_ALONG = {
    "extra-members": extra_members, "slow": slow, "moody": lambda method, result: result,
    "batch-sound": lambda method, result: result, "batch-extra-members": extra_members,
    "batch-two-faces": lambda method, result: result,
    "batch-always-refuses": lambda method, result: result, "always-ill-typed": always_ill_typed, "always-exits": always_exits,
}


def main():
    note(os.getpid())
    if MODE == "exit-at-once":
        os._exit(1)
    if MODE == "deaf":
        sleep()
    way = globals().get(MODE.replace("-", "_"))
    for text in sys.stdin:
        request = json.loads(text)
        number, method, params = request["id"], request["method"], request.get("params", {})
        if method == "hello" and MODE in AT_HELLO:
            AT_HELLO[MODE](number)
            continue
        if MODE == "batch-always-refuses" and method == "case":
            batch_refuses(number, params)
            continue
        if MODE == "ten-thousand-calls" and turn(method):
            reply(number, ten_thousand_calls(number, params))
            continue
        if MODE not in ALL_ALONG and MODE not in ("sound", "ten-thousand-calls") and turn(method):
            way(number, params)
            continue
        result = answer(number, method, params)
        reply(number, ALL_ALONG[MODE](method, result) if MODE in ALL_ALONG else result)
        if method == "bye":
            break


main()
