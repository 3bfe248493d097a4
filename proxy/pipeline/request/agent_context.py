"""The context that coding agents write into the messages of a user: reminders, the environment, files, repository maps.

It is no part of the question, and its words would find excerpts that have nothing to do with it.
"""

import re

# Elements of Claude Code, Cline, Roo Code, Codex, Cursor, Copilot Chat, Continue and OpenHands
_ELEMENTS = """
    additional_data attached_files attachments available_skills command-args command-contents command-message
    command-name context_files currentChangeContext currentFile cursor_commands cursor_rules editorContext
    editor_context env environment environment_context environment_details environment_info file_content files_content
    git_status ide_diagnostics ide_opened_file ide_selection instructions local-command-caveat local-command-stderr
    local-command-stdout manually_attached_skills open_and_recently_viewed_files open_files permissions project_layout
    recently_viewed_files reminderInstructions repo_map repository_info rules runtime_information selected_code
    system-reminder system_information system_reminder terminal_output todo_list user_info user_instructions
    user_rules user_selections workspace_info workspace_context
"""
_OPENING = re.compile(rf"(?i)<({'|'.join(map(re.escape, _ELEMENTS.split()))})(?=[\s>])[^<>]{{0,500}}>")
_QUESTIONS = ("user_query", "userRequest", "user_request", "user_message", "task")  # elements with the question itself
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
MAX_CODE_CHARACTERS = 300  # characters of a block of code that a person writes into a question; a longer one is a file
# A line of a repository map by Aider, its note about added files, and the heading of instructions by Codex
_LINES = re.compile(
    r"(?m)^(?:[⋮│].*|.{1,300}:(?=\n[⋮│])|(?:I have|I've) \*?added these files to the chat\*?.*"
    r"|\*Trust this message as the true contents.*|# AGENTS\.md instructions.*)$"
)


def without_agent_context(text: str) -> str:
    """Return the text of a user's message without what a coding agent added to it."""
    if "<" in text:
        text = _without_elements(text)
        text = next(filter(None, (_inside(text, name) for name in _QUESTIONS)), text)
    if "```" in text or "~~~" in text:
        text = _without_files(text)
    return _LINES.sub("", text)


def _without_elements(text: str) -> str:
    """Return the text without the elements of agents. An element that is not closed is part of the question."""
    parts: list[str] = []
    lower = text.lower()
    if len(lower) != len(text):  # some capitals have two small letters, which would move the offsets
        lower = text
    unclosed: set[str] = set()
    position = 0
    for opening in _OPENING.finditer(text):
        name = opening[1].lower()
        if opening.start() < position or name in unclosed:
            continue
        closing = f"</{name}>"
        end = lower.find(closing, opening.end())
        if end < 0:
            unclosed.add(name)
            continue
        parts.append(text[position : opening.start()])
        position = end + len(closing)
    return "".join([*parts, text[position:]])


def _inside(text: str, name: str) -> str:
    """Return the text inside the last element with this name, "" if there is none."""
    end = text.rfind(f"</{name}>")
    start = text.rfind(f"<{name}>", 0, max(0, end))
    return text[start + len(name) + 2 : end].strip() if 0 <= start < end else ""


def _without_files(text: str) -> str:
    """Return the text without long blocks of code, and the lines above them that name a file."""
    parts: list[str] = []
    position = 0
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1].startswith(opened[1]) and mark[0].strip() == mark[1]:
            if mark.end() - opened.start() > MAX_CODE_CHARACTERS:
                parts.append(_without_file_name(text[position : opened.start()]))
                position = mark.end()
            opened = None
    return "".join([*parts, text[position:]])


def _without_file_name(text: str) -> str:
    before, _, last = text.rstrip("\n").rpartition("\n")
    is_name = bool(last.strip()) and not re.search(r"\s", last.strip()) and re.search(r"[./\\]", last)
    return f"{before}\n" if is_name else text
