import { describe, expect, it } from "vitest";
import { bytes, creationOptions, credentialJson, requestOptions, text } from "./webauthn-json";

describe("Web Authentication in JSON", () => {
  it.each([[[]], [[0]], [[255, 254]], [[1, 2, 3]], [[251, 239, 190, 255]]])("keeps the bytes %j", (list) => {
    const data = Uint8Array.from(list);
    expect(bytes(text(data))).toEqual(data);
    expect(text(data)).not.toMatch(/[+/=]/);
  });

  it("reads the options for a new passkey", () => {
    const options = creationOptions({
      rp: { id: "localhost", name: "Control Room" }, user: { id: "ZGV2XzE", name: "Phone", displayName: "Phone" },
      challenge: "AQID", pubKeyCredParams: [], excludeCredentials: [{ id: "BAU", type: "public-key" }],
    });
    expect(options.challenge).toEqual(Uint8Array.of(1, 2, 3));
    expect(options.user.id).toEqual(new TextEncoder().encode("dev_1"));
    expect(options.excludeCredentials?.[0]?.id).toEqual(Uint8Array.of(4, 5));
    expect(options.rp.id).toBe("localhost");
  });

  it("reads the options for showing one", () => {
    const options = requestOptions({ challenge: "AQID", rpId: "localhost", userVerification: "required" });
    expect(options).toMatchObject({ rpId: "localhost", userVerification: "required", allowCredentials: [] });
  });

  it.each([null, 7, {}, { challenge: "%%" }])("throws on %j", (json) => {
    expect(() => requestOptions(json)).toThrow();
    expect(() => creationOptions(json)).toThrow();
  });

  it("writes what a browser gave", () => {
    const data = Uint8Array.of(9).buffer;
    const shown = credentialJson({
      id: "CQ", rawId: data, type: "public-key", authenticatorAttachment: "platform",
      response: { clientDataJSON: data, authenticatorData: data, signature: data, userHandle: null },
    } as unknown as PublicKeyCredential);
    expect(shown).toEqual({
      id: "CQ", rawId: "CQ", type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {},
      response: { clientDataJSON: "CQ", authenticatorData: "CQ", signature: "CQ", userHandle: null },
    });
    const made = credentialJson({
      id: "CQ", rawId: data, type: "public-key", authenticatorAttachment: null,
      response: { clientDataJSON: data, attestationObject: data, getTransports: () => ["internal"] },
    } as unknown as PublicKeyCredential);
    expect(made.response).toEqual({ clientDataJSON: "CQ", attestationObject: "CQ", transports: ["internal"] });
  });
});
