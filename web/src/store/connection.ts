/** How a device is connected, in words. Pure. */
import type { Device } from "../api/types";

export type PlainReason = "home" | "vpn" | "development";

export const PLAIN_REASONS: readonly { value: PlainReason; label: string; hint: string }[] = [
  { value: "home", label: "It is my home network", hint: "Others in it could read along" },
  { value: "vpn", label: "It runs inside a VPN or tailnet", hint: "That already encrypts it" },
  { value: "development", label: "It is for development", hint: "Nothing here is secret" },
];

const SHORT: Readonly<Record<PlainReason, string>> = { home: "home network", vpn: "VPN or tailnet", development: "development" };

export interface Connection {
  kind: "secure" | "plain" | "unknown";
  /** `Secure`, `Plain: home network` … */
  label: string;
  detail: string;
}

/** How the hub last saw this device come. */
export function connectionOf(device: Pick<Device, "connection" | "plain_reason" | "transport" | "address" | "door">): Connection {
  switch (device.connection ?? "unknown") {
    case "secure":
      return device.transport !== "wss" && isLoopback(device.address ?? "")
        ? { kind: "secure", label: "Secure", detail: "On the hub’s own machine: it crosses no network" }
        : { kind: "secure", label: "Secure", detail: "Encrypted with HTTPS" };
    case "plain": {
      const reason = device.plain_reason ?? null;
      return {
        kind: "plain",
        label: reason === null ? "Plain, no reason given" : `Plain: ${SHORT[reason]}`,
        detail: "Not encrypted: others in the same network could read and change it",
      };
    }
    default:
      return { kind: "unknown", label: "Not known", detail: "Not seen since the hub looks at it" };
  }
}

/** The same for a page that is not paired yet, from its own address. */
export function connectionHere(protocol: string, hostname: string): Connection["kind"] {
  return protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost") || isLoopback(hostname)
    ? "secure" : "plain";
}

function isLoopback(address: string): boolean {
  return /^127\./.test(address) || address === "::1" || address === "[::1]";
}
