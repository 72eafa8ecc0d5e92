/** What was shared to the app: the person picks the agent, and it becomes a draft. Sharing never sends. */
import "./shared.css";

import { useEffect, useState } from "preact/hooks";

import type { Agent } from "../../api/types";
import { go } from "../../kit/navigate";
import { sharedThings, type SharedThing } from "../../kit/shared";
import { block, line } from "../../kit/text";
import { useRoom, type Room } from "../../live/room";
import { fileId, writing } from "../../live/writing";
import { Empty } from "../../parts/empty";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Title } from "../../parts/title";
import { showToast } from "../../parts/toast";
import { kindName, matches, standingOf } from "../../store/agents";
import { sizeText } from "../../store/delivery";
import { freeName, withShared } from "../../store/drafts";
import type { OutFile } from "../../store/outbox";

export function SharedView() {
  const room = useRoom();
  const { database } = writing(room);
  const [things, setThings] = useState<readonly SharedThing[] | null>(null);
  const [problem, setProblem] = useState("");
  const [search, setSearch] = useState("");
  const load = async (): Promise<void> => {
    const found = await sharedThings(database);
    if (found.ok) setThings(found.value);
    else setProblem(found.trouble.text);
  };
  useEffect(() => {
    void load();
    return database.onChange((stores) => {
      if (stores.includes("shared")) void load();
    });
  }, []);
  const { agents, machines } = room.state.value;
  const thing = things?.[0];
  const nameOf = (agent: Agent): string => machines.get(agent.machine_id)?.name ?? "";
  const rows = [...agents.values()]
    .filter((agent) => !agent.archived && matches(agent, nameOf(agent), search))
    .sort((one, other) => Number(other.pinned ?? false) - Number(one.pinned ?? false) || one.name.localeCompare(other.name));
  return (
    <section class="pane pane-list" aria-label="Shared">
      <header class="head">
        <div class="head-top"><Title class="head-title">Share with an agent</Title></div>
        {thing === undefined ? null : <p class="head-sum">It becomes a draft. Nothing is sent until you send it.</p>}
      </header>
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label="What was shared, and for whom">
        {problem === "" ? null : <p class="note bad" role="alert">{problem}</p>}
        {thing === undefined ? (
          things === null ? null : (
            <Empty icon="link" title={<h2>Nothing is shared now</h2>}>
              <p>Share a text, a link or files to this app from another one, and pick the agent here.</p>
              <a class="btn btn-line" href="/app/agents">All agents</a>
            </Empty>
          )
        ) : (
          <div class="share-body">
            <Shared thing={thing} onDrop={() => void database.drop("shared", thing.id)} />
            <label class="search"><Icon name="search" small /><span class="vh">Search agents</span>
              <input class="input" type="search" placeholder="Search agents" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
            </label>
            <ul>
              {rows.map((agent) => (
                <li class="row" key={agent.id}>
                  <button class="row-link" type="button" data-agent={agent.id} onClick={() => void give(room, thing, agent)}>
                    <Lamp name={standingOf(agent).lamp} />
                    <span class="row-main">
                      <span class="row-top"><span class="row-name"><span class="vh">{standingOf(agent).word}: </span><bdi>{line(agent.name, 120)}</bdi></span></span>
                      <span class="row-meta"><span>{[kindName(agent.kind), nameOf(agent)].filter((part) => part !== "").join(" · ")}</span></span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            {rows.length === 0 ? <p class="note">No agent to give it to{search === "" ? "" : ` matches “${line(search, 40)}”`}.</p> : null}
          </div>
        )}
      </div>
    </section>
  );
}

function Shared(props: { thing: SharedThing; onDrop(): void }) {
  const { thing } = props;
  const said = [thing.title, thing.text, thing.url].filter((part) => part.trim() !== "").join("\n");
  return (
    <section class="card" aria-label="What was shared">
      {said === "" ? null : <p class="second share-text"><bdi>{block(said, 600)}</bdi></p>}
      <ul class="second">
        {thing.files.map((file, at) => <li key={at}><bdi>{line(file.name, 80)}</bdi>, {sizeText(file.bytes.size)}</li>)}
      </ul>
      {thing.dropped.length === 0 ? null : (
        <p class="second bad">Left out, too large or too many: {thing.dropped.map((name) => line(name, 60)).join(", ")}</p>
      )}
      <div class="card-acts"><button class="btn btn-plain" type="button" onClick={props.onDrop}>Forget it</button></div>
    </section>
  );
}

/** Makes it a draft of this agent, behind what stands there already. */
async function give(room: Room, thing: SharedThing, agent: Agent): Promise<void> {
  const { database, drafts, outbox, limits, ready } = writing(room);
  await ready;
  const draft = drafts.of(agent.chat_id, agent.id);
  const files: OutFile[] = [];
  const leftOut: string[] = [];
  for (const file of thing.files) {
    const before = [...draft.files, ...files];
    const isTooMuch = file.bytes.size > limits.value.upload_bytes || before.length >= limits.value.most;
    if (isTooMuch) {
      leftOut.push(line(file.name, 60));
      continue;
    }
    const kept = { id: fileId(), name: freeName(line(file.name, 120) || "file", before), size: file.bytes.size, type: file.type };
    outbox.hold(kept.id, file.bytes);
    await drafts.keepBytes(kept.id, file.bytes);
    files.push(kept);
  }
  drafts.change(withShared(drafts.of(agent.chat_id, agent.id), thing, files, room.nowMs()));
  await drafts.flush();
  await database.drop("shared", thing.id);
  if (leftOut.length > 0) showToast({ text: `Left out, a message takes ${limits.value.most} files of ${sizeText(limits.value.upload_bytes)}: ${leftOut.join(", ")}` });
  go({ at: "agent", agentId: agent.id }, { replace: true });
}
