"""The one message that tells an agent how a question to the person is written.

It goes out once for an agent, after the first block that departs from the form, and never again: an agent
that does not learn from it is not nagged. Its question reached the person all the same, so the message says
that nothing has to be asked again. The form is that of spec 002 section 5.
"""

from __future__ import annotations

from controlroom.core.text import clean_line

FORM = """\
Question for Founder: <one sentence?>
- <option>: <what happens>
- <other option>: <what happens> (recommended)
Default: <what you do without an answer> by <time>
Context: <one or two sentences>
Doc: <link>"""
"""The block as it should be."""

LONGEST_QUESTION, LONGEST_PROBLEM = 120, 600


def teaching(question: str, problem: str) -> str:
    """What the agent is told. ``question`` and ``problem`` are the card's; its text is data and is cut."""
    named = clean_line(question, LONGEST_QUESTION)
    about = f'Your question "{named}"' if named else "Your question"
    return (
        f"{about} is with the person, so do not ask it again. But its form was not right: "
        f"{clean_line(problem, LONGEST_PROBLEM)} From now on, end a reply that asks something "
        f"like this:\n\n{FORM}\n\n"
        "Context and Doc may be left out. Write the time like 18:00, 2026-12-31 18:00 UTC or 90 min. Where "
        "nothing may happen without the person (logins, money, public posts, irreversible deletes), "
        '"Blocking: yes" takes the place of Default.'
    )
