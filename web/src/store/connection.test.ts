import { describe, expect, it } from "vitest";
import { connectionHere, connectionOf } from "./connection";

describe("how a device is connected", () => {
  it.each([
    [{ connection: "secure", transport: "wss", address: "100.64.0.9" }, "secure", "Secure"],
    [{ connection: "secure", transport: "ws", address: "127.0.0.1" }, "secure", "Secure"],
    [{ connection: "plain", plain_reason: "home" }, "plain", "Plain: home network"],
    [{ connection: "plain", plain_reason: "vpn" }, "plain", "Plain: VPN or tailnet"],
    [{ connection: "plain", plain_reason: null }, "plain", "Plain, no reason given"],
    [{ connection: "plain" }, "plain", "Plain, no reason given"],
    [{ connection: "unknown" }, "unknown", "Not known"],
    [{}, "unknown", "Not known"],
  ] as const)("%j", (device, kind, label) => expect(connectionOf(device)).toMatchObject({ kind, label }));

  it("says that loopback crosses no network", () => {
    expect(connectionOf({ connection: "secure", transport: "ws", address: "127.0.0.1" }).detail).toContain("no network");
    expect(connectionOf({ connection: "secure", transport: "wss", address: "127.0.0.1" }).detail).toContain("HTTPS");
  });

  it.each([
    ["https:", "studio.example", "secure"],
    ["http:", "localhost", "secure"],
    ["http:", "127.0.0.1", "secure"],
    ["http:", "192.168.1.7", "plain"],
    ["http:", "studio", "plain"],
  ])("a page from %s//%s is %s", (protocol, host, kind) => expect(connectionHere(protocol, host)).toBe(kind));
});
