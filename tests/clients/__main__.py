"""Run real, unmodified, pinned clients against a running server and print a table of results (`make test-clients`)."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence

from tests.clients import environments, guides, mcp_client, running, start_page
from tests.clients.checking import Row, checked
from tests.clients.matrix import markdown, summary


def main() -> int:
    """Return the exit code: 0 if every client passes and the guides are up to date."""
    arguments = parse_arguments()
    try:
        commands = running.commands(arguments.names, node=not arguments.python, on_demand=arguments.all)
    except environments.InstallError as error:
        print(f"make test-clients: {error}", file=sys.stderr)
        return 2
    if not commands:
        print(f"make test-clients: no script has a name with {' or '.join(arguments.names)}", file=sys.stderr)
        return 2
    reports, usage = asyncio.run(running.reported(commands))
    rows = [row for report in reports for row in checked(report, usage)]
    print(markdown(rows))
    faults = [f"{row.client} {row.version}, {row.way}: {fault}" for row in rows for fault in row.faults]
    failed = sum(bool(row.faults) for row in rows)
    if not failed:
        shown = {(report["script"], name): text for report in reports for name, text in report["shown"].items()}
        complete = not (arguments.names or arguments.python)
        faults += outdated(shown, tables(reports, rows) if complete else {}, write=arguments.write)
    if not arguments.python and (not arguments.names or "start" in arguments.names):
        faults += asyncio.run(start_page.faults())
    if not arguments.python and (not arguments.names or "mcp" in arguments.names):
        faults += asyncio.run(mcp_client.faults())
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"\n{len(rows) - failed} passed, {failed} failed")
    return int(bool(faults))


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="make test-clients ARGS=...", description=__doc__)
    parser.add_argument("names", nargs="*", help="only scripts with one of these words in their name")
    parser.add_argument("--python", action="store_true", help="without the clients of Node")
    parser.add_argument("--all", action="store_true", help="also clients with large packages")
    parser.add_argument("--write", action="store_true", help="update code, output and tables in docs/clients")
    return parser.parse_args()


def tables(reports: Sequence[running.Report], rows: Sequence[Row]) -> dict[str, str]:
    """Return the tables of the guides: of the clients that always run, and of the others if they ran."""
    on_demand = {report["client"] for report in reports if running.is_on_demand(report["script"])}
    always = [row for row in rows if row.client not in on_demand]
    found = {"matrix": markdown(always), "clients": summary(always)}
    if on_demand:
        found["on demand"] = summary([row for row in rows if row.client in on_demand])
    return found


def outdated(shown: guides.Shown, tables: Mapping[str, str], *, write: bool) -> list[str]:
    """Return the guides that differ from this run. With `write`, update them instead."""
    found = []
    for guide in guides.guides():
        text = guide.read_text("utf-8")
        now = guides.with_output(guides.with_code(text), shown)
        now = guides.with_tables(now, tables) if tables else now
        if now != text and write:
            guide.write_text(now, "utf-8")
        elif now != text:
            found.append(f"{guide.relative_to(guides.ROOT)} is out of date: make test-clients ARGS=--write")
    return found


if __name__ == "__main__":
    sys.exit(main())
