/** Types for a person who watches: each key goes at once, each refusal is said, and nothing is tried again by itself. */
import type { Done } from "../../api/types";
import { newId, type Room } from "../../live/room";
import { passage, refusedWords, type Sight } from "./gate";
import { KEY_SENT, mark } from "./screen";

/** What the person hears about their keys. `code` of a refusal; "" when this page itself did not send them. */
export interface Note {
  code: string;
  text: string;
}

const MOST_KEYS = 64;
/** A pasted line is followed by Enter no sooner: programs take both at once for one paste, and submit nothing. */
const GAP_MS = 60;
/** ... and no later than this after the last frame that the paste caused. */
const ECHO_MS = 250;

export class Typist {
  private line: Promise<unknown> = Promise.resolve();
  private sending: Promise<boolean> | null = null;
  private waiting: string[] = [];
  private sinceFrame: (() => void) | null = null;

  constructor(
    private readonly room: Room,
    private readonly agentId: string,
    private readonly sight: () => Sight,
    private readonly say: (note: Note | null) => void,
  ) {}

  /** A frame was painted. */
  painted(): void {
    this.sinceFrame?.();
  }

  /**
   * Presses keys in order. False: they were not pressed, and the person was told.
   *
   * The first goes at once; what is typed before its answer is there goes together behind it. While something is
   * asked each key goes by itself, with the screen that was seen when it was pressed.
   */
  press(keys: readonly string[]): Promise<boolean> {
    if (this.sending !== null && this.sight().dialog === null) {
      this.waiting.push(...keys);
      return this.sending;
    }
    const done = this.sendAll([...keys]);
    this.sending = done;
    return done.finally(() => {
      if (this.sending === done) this.sending = null;
    });
  }

  private async sendAll(keys: string[]): Promise<boolean> {
    let left = keys;
    while (left.length > 0) {
      if (!(await this.send(left.slice(0, MOST_KEYS)))) {
        this.waiting = [];
        return false;
      }
      left = [...left.slice(MOST_KEYS), ...this.waiting];
      this.waiting = [];
      if (left.length > 0 && this.sight().dialog !== null) {
        this.say({ code: "", text: "A prompt appeared while you typed. The rest was not pressed." });
        return false;
      }
    }
    return true;
  }

  private async send(keys: readonly string[]): Promise<boolean> {
    const way = passage(this.sight(), Date.now());
    if (!way.may) {
      this.say({ code: "", text: way.why });
      return false;
    }
    mark(KEY_SENT, { agentId: this.agentId, keys: keys.length });
    const ack = await this.room.keys(this.agentId, keys, way.seen);
    return this.heard(ack.code, ack.text);
  }

  /** Types a text as one paste, and Enter behind it as soon as it stands there. Texts follow each other. */
  type(text: string, isSubmitted: boolean): Promise<boolean> {
    const done = this.line.then(() => this.typeNow(text, isSubmitted));
    this.line = done.catch(() => undefined);
    return done;
  }

  private async typeNow(text: string, isSubmitted: boolean): Promise<boolean> {
    if (text !== "" && !(await this.paste(text))) return false;
    if (!isSubmitted) return true;
    if (text !== "") await this.echoed();
    const isPressed = await this.press(["Enter"]);
    if (!isPressed && text !== "") this.say({ code: "", text: "The text was typed, but Enter was not pressed: look at the screen." });
    return isPressed;
  }

  private async paste(text: string): Promise<boolean> {
    const way = passage(this.sight(), Date.now());
    if (!way.may) {
      this.say({ code: "", text: way.why });
      return false;
    }
    mark(KEY_SENT, { agentId: this.agentId, characters: text.length });
    const answer = await this.room.http.request<Done>("POST", `/agents/${encodeURIComponent(this.agentId)}/keys`, {
      body: { request_id: newId("req"), keys: [], paste: text, ...(way.seen === undefined ? {} : { seen_revision: way.seen }) },
    });
    return answer.ok ? this.heard(null, null) : this.heard(answer.refusal.code, answer.refusal.text);
  }

  private heard(code: string | null | undefined, text: string | null | undefined): boolean {
    if (code == null) {
      this.say(null);
      return true;
    }
    this.say({ code, text: refusedWords(code, text) });
    return false;
  }

  private echoed(): Promise<void> {
    return new Promise((resolve) => {
      const began = Date.now();
      const end = (): void => {
        clearTimeout(timer);
        this.sinceFrame = null;
        setTimeout(resolve, Math.max(0, GAP_MS - (Date.now() - began)));
      };
      const timer = setTimeout(end, ECHO_MS);
      this.sinceFrame = end;
    });
  }
}

/** What an input method or a paste brings: keys when it is short and plain, else one paste. */
export function asKeys(text: string): string[] | null {
  const characters = [...text];
  if (characters.length > 16 || /[\p{M}\p{C}]/u.test(text)) return null;
  return characters.map((character) => (character === " " ? "Space" : character));
}
