"""gptme's own chat loop, whole, without the adapter: what becomes of a request that fails?

    ../.venv-0.35.1/bin/python chat_loop.py ok|rejected|aborted
    ../.venv-0.34.0/bin/python chat_loop.py interrupted

A person speaks six times. The model answers ordinary turns; a checkpoint request ends as the argument
says. With `interrupted` the person speaks once, and stops the answer to that before its first token.
Printed are the model calls in order, the hook's own records and the beginning of the view. The only
replaced parts are the model (gptme's offline provider) and the person at the prompt.
"""

import importlib
import os
import sys
import tempfile
from pathlib import Path

HOME = tempfile.TemporaryDirectory()
for name in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ["XDG_%s_HOME" % name] = os.path.join(HOME.name, name.lower())
os.environ.update(HOME=HOME.name, GPTME_TIKTOKEN_TIMEOUT="0", PYTEST_CURRENT_TEST="plimsoll", GPTME_CONTEXT_BUDGET="20000")

import httpx  # noqa: E402
import openai  # noqa: E402
from gptme.llm import llm_mock  # noqa: E402
from gptme.llm.models import ModelMeta, set_default_model  # noqa: E402
from gptme.logmanager import LogManager  # noqa: E402
from gptme.message import Message, set_output_format  # noqa: E402
from gptme.tools import init_tools  # noqa: E402
from gptme.tools.autocompact import hook  # noqa: E402
from gptme.util import console  # noqa: E402

NEW = hasattr(hook, "_failed_summarize")
chat = importlib.import_module("gptme.chat")
ASKED = ("Context budget has been reached", "Please create a comprehensive resume")  # 0.35.1, 0.34.0


def main(ending):
    console.quiet = True
    set_output_format("quiet")
    init_tools(["autocompact"])
    set_default_model(ModelMeta(provider="mock", model="echo", context=1_000_000 if NEW else 22_222, max_output=1000))
    seen, prompts = [], iter("prompt %d" % i for i in range(1 if ending == "interrupted" else 6))

    def stream(messages, model, tools=None, **_):
        checkpoint = any(words in messages[-1].content for words in ASKED)
        seen.append("checkpoint" if checkpoint else "turn")
        if checkpoint and ending == "rejected":
            request = httpx.Request("POST", "http://127.0.0.1/")
            raise openai.BadRequestError("rejected", response=httpx.Response(400, request=request), body={})
        if ending == ("aborted" if checkpoint else "interrupted"):
            raise KeyboardInterrupt
        yield "the model's answer %d" % len(seen)
        return {"model": model}

    def person(log, workspace):
        if not chat._should_prompt_for_input(log):
            return None
        prompt = next(prompts, None)
        return Message("user", prompt) if prompt else None

    def whole(messages, model, tools=None, **_):
        return "".join(stream(messages, model)), {"model": model}

    llm_mock.stream, llm_mock.chat = stream, whole
    chat._get_user_input = person
    chat._start_auto_naming_thread = lambda *_, **__: None
    logdir = Path(HOME.name) / "logs" / "one"
    (logdir / "workspace").mkdir(parents=True)
    manager = LogManager.load(logdir, lock=False, create=True)
    manager.append(Message("system", "You are an agent."))
    for i in range(14):
        manager.append(Message("user", "question %d " % i + "word " * 700))
        manager.append(Message("assistant", "answer %d " % i + "word " * 700))
    chat._run_chat_loop(manager, [], True, tool_format="markdown", interactive=True, logdir=logdir)
    print("model calls:", " ".join(seen))
    if NEW:
        print("failures recorded: %d, attempts recorded: %d" % (
            len(hook._failed_summarize), len(hook._last_autocompact_attempt)))
    print("view: %s; prompt 0 stands in it: %s" % (
        manager.current_view, any(m.content == "prompt 0" for m in manager.log.messages)))
    for stored in manager.log.messages[:5]:
        print("  %-9s %s" % (stored.role, stored.content[:40]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ok")
