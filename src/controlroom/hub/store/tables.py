"""Tables of the hub. What only travels is JSON (the wire's own structs); what is searched is a column."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text

from controlroom.kit.schema import Schema

metadata = MetaData()

# One row, "seq": the number of the newest event, taken inside the transaction that makes the event.
counters = Table(
    "counters",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

machines = Table(
    "machines",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False),  # order of joining
    Column("shown", LargeBinary, nullable=False),  # Machine, as last told to clients
    Column("is_online", Boolean, nullable=False),
    Column("offset_ms", BigInteger, nullable=False),  # add to the node's times to get ours
    Column("journal_id", String),
    Column("acts_seq", BigInteger, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False),  # order of appearance
    Column("machine_id", String, nullable=False, index=True),
    Column("chat_id", String, nullable=False),
    Column("state", LargeBinary, nullable=False),  # AgentState, as the node told it, in the node's time
    Column("shown", LargeBinary, nullable=False),  # Agent, as last told to clients
    Column("is_listed", Boolean, nullable=False),  # False: it left the fleet, its chats stay
    Column("is_pinned", Boolean, nullable=False),
    Column("is_muted", Boolean, nullable=False),
    Column("is_archived", Boolean, nullable=False),
    Column("finish_read_ms", BigInteger, nullable=False),  # at_ms of the finished stretch that was read
)

chats = Table(
    "chats",
    metadata,
    Column("id", String, primary_key=True),
    Column("agent_id", String, nullable=False, index=True),
    Column("kind", String, nullable=False),
    Column("cursor", Text),  # the driver's, behind the newest item that is kept here
    Column("mark", Text),  # the agent's mark when the items were fetched
    Column("older", Boolean, nullable=False),  # there is more than what is kept here
    Column("unread_from_ms", BigInteger, nullable=False),  # what is older was there before us: never unread
    Column("read_position", Integer, nullable=False),
    Column("unread", Integer, nullable=False),
)

chat_items = Table(
    "chat_items",
    metadata,
    Column("chat_id", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("kind", String, nullable=False),
    Column("item", LargeBinary, nullable=False),  # Item, in the node's time
)
Index("chat_items_order", chat_items.c.chat_id, chat_items.c.position)

messages = Table(
    "messages",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False),  # order of acceptance
    Column("machine_id", String, nullable=False),
    Column("agent_id", String, nullable=False),
    Column("chat_id", String, nullable=False),
    Column("digest", String, nullable=False),  # of the body, to tell a repetition from a clash
    Column("state", String, nullable=False),
    Column("is_tried", Boolean, nullable=False),  # the node may have heard of it
    Column("is_taken", Boolean, nullable=False),  # the node has said that it has it
    Column("item_id", String),
    Column("message", LargeBinary, nullable=False),  # Message, as the node sees it
)
Index("messages_open", messages.c.machine_id, messages.c.state, messages.c.number)
Index("messages_chat", messages.c.chat_id, messages.c.item_id)

events = Table(
    "events",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False, index=True),
    Column("name", String, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

requests = Table(
    "requests",
    metadata,
    Column("caller", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("digest", String, nullable=False),
    Column("result", LargeBinary, nullable=False),
    Column("at_ms", BigInteger, nullable=False, index=True),
)

receipts = Table(
    "receipts",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("receipt", LargeBinary, nullable=False),
)

# Lasting facts of this hub: "hub_id".
facts = Table(
    "facts",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
)

# Secrets of devices stand here as hashes only (SHA-256, hex).
devices = Table(
    "devices",
    metadata,
    Column("id", String, primary_key=True),
    Column("token_hash", String, nullable=False, unique=True),
    Column("key_hash", String),  # of the browser's second half
    Column("client_id", String, nullable=False, index=True),  # the client's own device_id
    Column("is_named", Boolean, nullable=False),  # a person gave the name: a reconnect does not change it
    Column("device", LargeBinary, nullable=False),  # Device, as last stored
    Column("refresh_hash", String, unique=True),
    Column("refresh_before", String),  # the one before it, while its reply may have been lost
    Column("refresh_made_ms", BigInteger),
    Column("refresh_turned_ms", BigInteger),  # of the last rotation
)

# What a browser's passkeys are checked with: nothing secret.
passkeys = Table(
    "passkeys",
    metadata,
    Column("id", String, primary_key=True),  # the credential's own, URL-safe
    Column("device_id", String, nullable=False, index=True),
    Column("site", String, nullable=False),  # the host name it works under
    Column("name", String, nullable=False),
    Column("public_key", LargeBinary, nullable=False),  # COSE
    Column("sign_count", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger),
)

pairing_codes = Table(
    "pairing_codes",
    metadata,
    Column("code_hash", String, primary_key=True),
    Column("made_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False, index=True),
    Column("is_used", Boolean, nullable=False),
    Column("policy", LargeBinary, nullable=False),  # PairingPolicy
)

# Codes that a phone made and shows: they open nothing until the person approves them.
pending_pairings = Table(
    "pending_pairings",
    metadata,
    Column("code", String, key="code_hash", primary_key=True),  # a hash; the column has its first name
    Column("expires_ms", BigInteger, nullable=False),
    Column("pending", LargeBinary, nullable=False),  # PendingPairing
)

# Files that devices may fetch by a token.
media = Table(
    "media",
    metadata,
    Column("token", String, primary_key=True),
    Column("accessed_ms", BigInteger, nullable=False),
    Column("entry", LargeBinary, nullable=False),  # MediaEntry
)

# Files that people sent for agents. The bytes lie in a folder of their own while ``is_kept``; the row stays,
# so that a chat can name what was attached.
uploads = Table(
    "uploads",
    metadata,
    Column("id", String, primary_key=True),
    Column("by", String, nullable=False),
    Column("name", String, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("type", String, nullable=False),
    Column("sha256", String, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger),  # when a message named it last
    Column("is_kept", Boolean, nullable=False),
)
Index("uploads_kept", uploads.c.is_kept, uploads.c.created_ms)

# Items that people do not want to see any more; the agents' own files are never touched.
hidden_items = Table(
    "hidden_items",
    metadata,
    Column("chat_id", String, primary_key=True),
    Column("item_id", String, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
)

# Chats of which everything up to a (node's) time is hidden; the newest row can be taken back.
hidden_chats = Table(
    "hidden_chats",
    metadata,
    Column("chat_id", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("before_ms", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

# Questions for the person. What they ask is ``card``, what was done to them ``log`` (core.questions); the
# columns beside them are made from these two, for the questions that are asked of the table.
questions = Table(
    "questions",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),  # order of appearance
    Column("agent_id", String, nullable=False),
    Column("chat_id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("source", String, nullable=False),
    Column("is_group", Boolean, nullable=False),  # it stands for many that came too fast
    Column("created_ms", BigInteger, nullable=False),  # when we heard of it
    Column("due_ms", BigInteger, index=True),  # when its default is to be used; None: never, or not now
    Column("is_followed", Boolean, nullable=False),  # what becomes of its newest message is not known yet
    Column("withdraw", Integer),  # a message that is to be taken back, by its number
    Column(
        "hand_until_ms", BigInteger
    ),  # until then a waiting command may fetch the answer; then it is typed
    Column("card", LargeBinary, nullable=False),  # Card
    Column("log", LargeBinary, nullable=False),  # core.questions.Log
)
Index("questions_state", questions.c.state, questions.c.number)
Index("questions_agent", questions.c.agent_id, questions.c.number)

# Questions without a card of their own: a repeated fetch must not count them again.
grouped_questions = Table(
    "grouped_questions",
    metadata,
    Column("id", String, primary_key=True),
    Column("group_id", String, nullable=False),
)

# Which state of its conversation a question was judged in by the checker, and by what.
checks = Table(
    "checks",
    metadata,
    Column("question_id", String, primary_key=True),
    Column("position", String, nullable=False),
    Column("by", String, nullable=False),
    Column("at_ms", BigInteger, nullable=False, index=True),
)

# What each machine told of usage last (UsageState, in our time), so that one that is away can still be shown.
machine_usage = Table(
    "machine_usage",
    metadata,
    Column("machine_id", String, primary_key=True),
    Column("usage", LargeBinary, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", String, primary_key=True),
    Column("shown", LargeBinary, nullable=False),  # Account, as last told to clients
)

operations = Table(
    "operations",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False),  # order in which they were asked for
    Column("seq", BigInteger, nullable=False),  # of the event that told its present state
    Column("machine_id", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("state", String, nullable=False),
    Column("is_tried", Boolean, nullable=False),  # the node was asked, so it may have it
    Column("is_taken", Boolean, nullable=False),  # the node has it
    Column("prompt_due", Boolean, nullable=False),  # the first prompt of a start waits to be sent
    Column("record", LargeBinary, nullable=False),  # OperationRecord
)
Index("operations_seq", operations.c.seq)
Index("operations_state", operations.c.state, operations.c.number)

policy_agents = Table(
    "policy_agents",
    metadata,
    Column("agent_id", String, primary_key=True),
    Column("memory", LargeBinary, nullable=False),  # core.policy_memory.AgentMemory
)

# The question that stands for the paid extra usage of an account, until its next window.
credit_questions = Table(
    "credit_questions",
    metadata,
    Column("account_id", String, primary_key=True),
    Column("question_id", String, nullable=False),
    Column("model", String, nullable=False),  # of the agent for which it was asked
    Column("until_ms", BigInteger, nullable=False),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", String, primary_key=True),
    Column("channel", String, nullable=False),
    Column("device_id", String, nullable=False, index=True),
    Column("address", Text, nullable=False),  # as good as a secret: whoever has it can reach the device
    Column("keys", LargeBinary, nullable=False),  # of the channel, by name
    Column("made_ms", BigInteger, nullable=False),
)

phone_messages = Table(
    "phone_messages",
    metadata,
    Column("number", Integer, primary_key=True),  # order
    Column("device_id", String, nullable=False, index=True),
    Column("id", String, nullable=False),
    Column("tag", String, nullable=False),  # a newer one with the same takes its place
    Column("at_ms", BigInteger, nullable=False),
    Column("ends_ms", BigInteger, nullable=False),  # worth nothing later
    Column("message", LargeBinary, nullable=False),  # payload of the relay's phone.message
)

glance_tokens = Table(
    "glance_tokens",
    metadata,
    Column("id", String, primary_key=True),
    Column("token_hash", String, nullable=False),
    Column("name", String, nullable=False),
    Column("made_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger),
)

# What was decided of each thing that may be worth a notification, and what became of it.
notifications = Table(
    "notifications",
    metadata,
    Column("number", Integer, primary_key=True),  # order of appearance
    Column("id", String, nullable=False, unique=True),
    Column("at_ms", BigInteger, nullable=False, index=True),
    Column("agent_id", String, index=True),
    Column("question_id", String, index=True),
    Column("record", LargeBinary, nullable=False),  # Notification
)

# Notices on their way to one target each; a row leaves when the target took it, or it is given up.
notices = Table(
    "notices",
    metadata,
    Column("id", String, primary_key=True),  # of the notification
    Column("target_id", String, primary_key=True),
    Column("due_ms", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("notice", LargeBinary, nullable=False),  # Notice: all that devices show
)

SCHEMA = Schema(metadata, "controlroom.hub.store.migrations", "h0014")
