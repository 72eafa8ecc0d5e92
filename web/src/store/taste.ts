/**
 * Settings of taste: how this device shows things. They belong to the device, not to the person's account.
 *
 * `taste` is what views read; `changeTaste` is how they change it. `kit/keep-taste.ts` keeps it in the
 * browser's storage. What cannot be read falls back to its default, field by field.
 */
import { signal, type ReadonlySignal } from "@preact/signals";

export const TOOL_ACTIVITY = ["off", "compact", "full"] as const;
export const REASONING = ["folded", "live", "off"] as const;
export const THEMES = ["system", "light", "dark"] as const;
export const ENTER_KEYS = ["send", "line"] as const;

export interface Taste {
  /** What tools did, between bubbles. Failures, prompts and file changes show in each mode. */
  readonly toolActivity: (typeof TOOL_ACTIVITY)[number];
  /** `live`: open while it is being written, folded afterwards. */
  readonly reasoning: (typeof REASONING)[number];
  /** Token counts under answers. */
  readonly tokens: boolean;
  /** Single-key shortcuts (J, K, N, …) outside of inputs. */
  readonly singleKeys: boolean;
  readonly theme: (typeof THEMES)[number];
  /** What Enter does in the composer; the other one is on Ctrl/Cmd Enter or Shift Enter. */
  readonly enter: (typeof ENTER_KEYS)[number];
}

/** Whether a device has a real keyboard decides what Enter does until the person says otherwise. */
export function defaults(hasKeyboard: boolean): Taste {
  return {
    toolActivity: "compact",
    reasoning: "folded",
    tokens: false,
    singleKeys: true,
    theme: "system",
    enter: hasKeyboard ? "send" : "line",
  };
}

/** The taste that a stored text stands for; whatever in it cannot be used is the default. */
export function parseTaste(text: string | null, fallback: Taste): Taste {
  const said = object(text);
  return {
    toolActivity: oneOf(TOOL_ACTIVITY, said.toolActivity, fallback.toolActivity),
    reasoning: oneOf(REASONING, said.reasoning, fallback.reasoning),
    tokens: flag(said.tokens, fallback.tokens),
    singleKeys: flag(said.singleKeys, fallback.singleKeys),
    theme: oneOf(THEMES, said.theme, fallback.theme),
    enter: oneOf(ENTER_KEYS, said.enter, fallback.enter),
  };
}

function object(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function oneOf<T extends string>(known: readonly T[], said: unknown, fallback: T): T {
  return known.find((word) => word === said) ?? fallback;
}

function flag(said: unknown, fallback: boolean): boolean {
  return typeof said === "boolean" ? said : fallback;
}

const current = signal<Taste>(defaults(true));

export const taste: ReadonlySignal<Taste> = current;

export function changeTaste(change: Partial<Taste>): void {
  current.value = { ...current.value, ...change };
}
