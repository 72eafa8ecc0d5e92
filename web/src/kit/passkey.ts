/**
 * Passkeys of this browser: made, and shown to the hub. The hub checks them; here are only the two ceremonies, with
 * what goes wrong in them as values.
 */
import type { Answer, Http, Refusal } from "../api/http";
import type { components } from "../api/schema";
import { keepKey } from "./login";
import { creationOptions, credentialJson, requestOptions } from "./webauthn-json";

type Schemas = components["schemas"];
export type Passkey = Schemas["Passkey"];
export type PasskeyOptions = Schemas["PasskeyOptions"];
export type Unlocked = Schemas["Unlocked"];

/** Why this page cannot use passkeys. */
export type PasskeyTrouble = "plain" | "number" | "unsupported";

export function passkeyTrouble(): PasskeyTrouble | null {
  if (!window.isSecureContext) return "plain";
  if (/^(\d+\.){3}\d+$/.test(location.hostname) || location.hostname.startsWith("[")) return "number";
  if (typeof PublicKeyCredential === "undefined" || navigator.credentials === undefined) return "unsupported";
  return null;
}

export const PASSKEY_TROUBLE: Readonly<Record<PasskeyTrouble, string>> = {
  plain: "Passkeys need HTTPS, and this page came over plain HTTP.",
  number: "Passkeys need a name in the address, and this page was opened by a number. On the hub’s machine use http://localhost.",
  unsupported: "This browser knows no passkeys.",
};

/** Make a passkey for this device. */
export async function makePasskey(http: Http, name: string): Promise<Answer<Passkey>> {
  const asked = await http.request<PasskeyOptions>("POST", "/unlock/register/options");
  if (!asked.ok) return asked;
  const made = await ceremony(() => navigator.credentials.create({ publicKey: creationOptions(asked.value.options) }));
  if (!made.ok) return made;
  return http.request<Passkey>("POST", "/unlock/register", { body: { credential: made.value, name } });
}

/** What the hub wants signed, and how many things wait. Good for one try, for a few minutes. */
export function askUnlock(http: Http): Promise<Answer<PasskeyOptions>> {
  return http.request<PasskeyOptions>("POST", "/unlock/options");
}

/**
 * Show the passkey. `asked` saves a round trip when it was fetched before. A key that was lost comes back with it.
 */
export async function unlock(http: Http, asked?: PasskeyOptions): Promise<Answer<Unlocked>> {
  const options = asked === undefined ? await askUnlock(http) : { ok: true as const, value: asked };
  if (!options.ok) return options;
  const shown = await ceremony(() => navigator.credentials.get({ publicKey: requestOptions(options.value.options) }));
  if (!shown.ok) return shown;
  const answer = await http.request<Unlocked>("POST", "/unlock", { body: { credential: shown.value } });
  if (answer.ok && typeof answer.value.key === "string") keepKey(answer.value.key);
  return answer;
}

async function ceremony(begin: () => Promise<Credential | null>): Promise<Answer<unknown>> {
  const trouble = passkeyTrouble();
  if (trouble !== null) return failed("bad_request", PASSKEY_TROUBLE[trouble]);
  try {
    const credential = await begin();
    if (credential === null) return failed("aborted", "Cancelled.");
    return { ok: true, value: credentialJson(credential as PublicKeyCredential) };
  } catch (error) {
    return explained(error instanceof DOMException ? error.name : "");
  }
}

function explained(name: string): Answer<unknown> {
  switch (name) {
    case "NotAllowedError": // browsers tell the two apart for nobody
      return failed("aborted", "Cancelled, or it took too long.");
    case "InvalidStateError":
      return failed("conflict", "This device has its passkey already.");
    case "NotSupportedError":
      return failed("bad_request", "This device cannot make a passkey that asks for your face, finger or PIN.");
    case "SecurityError":
      return failed("bad_request", "The browser allows no passkeys at this address.");
    default:
      return failed("failed", "The browser could not use the passkey.");
  }
}

function failed(code: Refusal["code"], text: string): Answer<unknown> & { ok: false } {
  return { ok: false, refusal: { code, text, status: 0 } };
}
