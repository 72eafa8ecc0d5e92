/**
 * Options and credentials of Web Authentication between JSON and bytes. Browsers have this built in, but phones
 * that are a few years old do not. Pure. Source: Web Authentication Level 3, section 5.1.8 and on.
 */

export interface CredentialJson {
  id: string;
  rawId: string;
  type: string;
  authenticatorAttachment?: string;
  clientExtensionResults: Record<string, never>;
  response: Record<string, string | string[] | null>;
}

interface DescriptorJson { id: string; type: "public-key"; transports?: AuthenticatorTransport[] }

/** What the hub says for a new passkey. Throws on what is not that. */
export function creationOptions(json: unknown): PublicKeyCredentialCreationOptions {
  const said = json as PublicKeyCredentialCreationOptions & {
    challenge: string; user: { id: string }; excludeCredentials?: DescriptorJson[];
  };
  return {
    ...said,
    challenge: bytes(said.challenge),
    user: { ...said.user, id: bytes(said.user.id) },
    excludeCredentials: (said.excludeCredentials ?? []).map(descriptor),
  };
}

/** What the hub says for showing a passkey. Throws on what is not that. */
export function requestOptions(json: unknown): PublicKeyCredentialRequestOptions {
  const said = json as PublicKeyCredentialRequestOptions & { challenge: string; allowCredentials?: DescriptorJson[] };
  return {
    ...said,
    challenge: bytes(said.challenge),
    allowCredentials: (said.allowCredentials ?? []).map(descriptor),
  };
}

/** What the browser gave, for the hub. */
export function credentialJson(credential: PublicKeyCredential): CredentialJson {
  const { response } = credential;
  const said: CredentialJson["response"] = { clientDataJSON: text(response.clientDataJSON) };
  if ("attestationObject" in response) {
    const made = response as AuthenticatorAttestationResponse;
    said["attestationObject"] = text(made.attestationObject);
    said["transports"] = made.getTransports?.() ?? [];
  } else {
    const shown = response as AuthenticatorAssertionResponse;
    said["authenticatorData"] = text(shown.authenticatorData);
    said["signature"] = text(shown.signature);
    said["userHandle"] = shown.userHandle === null ? null : text(shown.userHandle);
  }
  const attachment = credential.authenticatorAttachment;
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    ...(attachment === null || attachment === undefined ? {} : { authenticatorAttachment: attachment }),
    clientExtensionResults: {},
    response: said,
  };
}

function descriptor(json: DescriptorJson): PublicKeyCredentialDescriptor {
  return { ...json, id: bytes(json.id) };
}

/** Bytes of URL-safe base64 without padding. */
export function bytes(said: string): Uint8Array<ArrayBuffer> {
  const raw = atob(said.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (character) => character.charCodeAt(0));
}

/** URL-safe base64 without padding. */
export function text(data: ArrayBuffer | Uint8Array): string {
  const all = new Uint8Array(data);
  let raw = "";
  for (const byte of all) raw += String.fromCharCode(byte);
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
