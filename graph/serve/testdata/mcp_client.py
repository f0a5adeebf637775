"""Two sessions of the reference client of the Model Context Protocol with a memory: 20 calls, and what they stored in the next session.

    mcp_client.py http URL KEY
    mcp_client.py stdio COMMAND ARG...
"""

import asyncio
import contextlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@contextlib.asynccontextmanager
async def session():
    if sys.argv[1] == "http":
        line = streamablehttp_client(sys.argv[2], headers={"Authorization": "Bearer " + sys.argv[3]})
    else:
        line = stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:]))
    async with line as streams, ClientSession(streams[0], streams[1]) as s:
        await s.initialize()
        yield s


calls = 0


async def call(s, name, wrong=False, **arguments):
    """Calls a tool; the client itself checks the structured content against the tool's schema."""
    global calls
    calls += 1
    r = await s.call_tool(name, arguments)
    text = r.content[0].text
    assert r.isError == wrong, (name, arguments, text)
    assert "items" in r.structuredContent, r
    return text, r.structuredContent


def has(text, *parts):
    for part in parts:
        assert part in text, (part, text)


async def first():
    async with session() as s:
        tools = {t.name: t for t in (await s.list_tools()).tools}
        assert sorted(tools) == ["explain_turn", "forget", "list_affairs", "memory_recall", "memory_store", "memory_update", "recall_affair"], tools
        assert tools["forget"].annotations.destructiveHint and tools["memory_recall"].annotations.readOnlyHint
        facts = ["The boiler is serviced on 2 October.", "The spare key hangs at Ana's.", "The router stands in the hall.", "Locker 7 holds the skis.", "The lease ends in May."]
        for i, fact in enumerate(facts):
            text, made = await call(s, "memory_store", subject=f"home {i}", content=fact, category="fact")  # 1-5
            has(text, "stored fact")
        has((await call(s, "memory_store", subject="home 0", content=facts[0], category="fact"))[0], "known already")  # 6
        for query, want in [("when is the boiler serviced?", "2 October"), ("who has the spare key?", "Ana"), ("where is the router?", "hall"), ("what is in locker 7?", "skis")]:
            has((await call(s, "memory_recall", query=query))[0], "quoted data from memory", want)  # 7-10
        has((await call(s, "memory_update", action="remember", text="I live in Leeds."))[0], "remembered")  # 11
        has((await call(s, "memory_update", action="show"))[0], "Leeds")  # 12
        await call(s, "memory_update", action="pin", text="I live in Leeds.")  # 13
        text, made = await call(s, "memory_store", subject="code", content="The gate code is written on the blue card.", category="fact")  # 14
        await call(s, "memory_update", action="correct", id=made["items"][0]["id"], text="The gate code is written on the red card.")  # 15
        has((await call(s, "memory_recall", query="gate code card"))[0], "red card")  # 16
        text, gone = await call(s, "forget", topic="gate code card")  # 17
        has(text, "erased for good")
        assert gone["receipt"]["left"] == 0 and "red" not in text, gone
        has((await call(s, "list_affairs"))[0], "no affairs")  # 18
        has((await call(s, "memory_recall", wrong=True, query="x", user_id="bob"))[0], "error (invalid)")  # 19
        has((await call(s, "explain_turn", wrong=True))[0], "error (not_found)")  # 20


async def second():
    async with session() as s:
        has((await call(s, "memory_recall", query="when is the boiler serviced?"))[0], "2 October")
        assert "red card" not in (await call(s, "memory_recall", query="gate code card"))[0]
        uris = sorted(str(r.uri) for r in (await s.list_resources()).resources)
        assert uris == ["memory:brain", "memory:today"], uris
        has((await s.read_resource("memory:brain")).contents[0].text, "Leeds")
        assert [t.uriTemplate for t in (await s.list_resource_templates()).resourceTemplates] == ["affair:{id}"]
        prompt = await s.get_prompt("what_waits")
        assert [m.role for m in prompt.messages] == ["user", "user"] and prompt.messages[1].content.type == "resource", prompt


asyncio.run(first())
assert calls == 20, calls
asyncio.run(second())
print("20 calls; the next session has what they stored")
