import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { networkInterfaces } from "node:os";
import { pause } from "../../base/lifecycle/pause.ts";
import { elementsOf, parseXml, textOf, type XmlElement } from "./xml.ts";

/** The group and port of WS-Discovery, on which ONVIF devices listen. */
const everyDevice = { address: "239.255.255.250", port: 3702 };
/** More answers are no cameras. */
const [mostDevices, mostAnswerBytes] = [200, 64 * 1024];

/** A device that answered. */
export interface FoundDevice {
  /** The address from which it answered. */
  readonly address: string;
  /** Where it takes requests, on that address. */
  readonly serviceUrl: string;
  readonly name: string;
  readonly model: string;
}

/**
 * Asks the local network for ONVIF cameras (WS-Discovery), and returns those that answer within the time, in order of their address.
 * `target` is asked instead of the whole network.
 */
export async function discoverDevices(options: {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly target?: { readonly address: string; readonly port: number } | undefined;
}): Promise<readonly FoundDevice[]> {
  const { target } = options;
  const found = new Map<string, FoundDevice>();
  const sockets = await Promise.all((target ? [undefined] : ownAddresses()).map((own) => openSocket(own)));
  const probe = Buffer.from(probeMessage());
  const ask = (): void => {
    const { address, port } = target ?? everyDevice;
    for (const socket of sockets) socket.send(probe, port, address, () => {});
  };
  for (const socket of sockets)
    socket.on("message", (message, { address }) => {
      if (message.length > mostAnswerBytes || found.size >= mostDevices) return;
      for (const device of devicesOf(message.toString("utf8"), address)) found.set(device.serviceUrl, device);
    });
  try {
    ask();
    // A packet may be lost
    await pause(Math.min(500, options.timeoutMs / 2), options.signal);
    ask();
    await pause(options.timeoutMs - Math.min(500, options.timeoutMs / 2), options.signal);
  } finally {
    for (const socket of sockets) socket.close();
  }
  const inOrder = (address: string): string => address.replaceAll(/\d+/g, (part) => part.padStart(3, "0"));
  return [...found.values()].toSorted((one, other) => inOrder(one.serviceUrl).localeCompare(inOrder(other.serviceUrl)));
}

/** The addresses of this machine in its networks. A question without one leaves by one network only. */
function ownAddresses(): readonly (string | undefined)[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = all.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address);
  return own.length === 0 ? [undefined] : own;
}

function openSocket(own: string | undefined): Promise<Socket> {
  return new Promise((done) => {
    const socket = createSocket("udp4");
    // A network that is down has no cameras
    socket.on("error", () => {});
    socket.bind(0, own, () => done(socket));
  });
}

function probeMessage(): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" xmlns:w="http://schemas.xmlsoap.org/ws/2004/08/addressing"',
    ' xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" xmlns:dn="http://www.onvif.org/ver10/network/wsdl">',
    `<e:Header><w:MessageID>uuid:${randomUUID()}</w:MessageID>`,
    "<w:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</w:To>",
    "<w:Action>http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</w:Action></e:Header>",
    "<e:Body><d:Probe><d:Types>dn:NetworkVideoTransmitter</d:Types></d:Probe></e:Body></e:Envelope>",
  ].join("");
}

/** A device gets requests only at the address from which it answered: it cannot send homesec to another machine. */
function devicesOf(message: string, address: string): readonly FoundDevice[] {
  return elementsOf(parseXml(message), "ProbeMatch").flatMap((match) => {
    const urls = textOf(match, "XAddrs")
      .split(/\s+/)
      .filter((url) => URL.canParse(url) && new URL(url).hostname === address);
    const serviceUrl = urls.find((url) => url.startsWith("http://")) ?? urls[0];
    if (serviceUrl === undefined) return [];
    return [{ address, serviceUrl, name: scopeOf(match, "name"), model: scopeOf(match, "hardware") }];
  });
}

/** Reads a property of a device, such as its name in `onvif://www.onvif.org/name/Porch%20camera`. */
function scopeOf(match: XmlElement, property: string): string {
  const value = new RegExp(`onvif://www\\.onvif\\.org/${property}/(\\S+)`, "i").exec(textOf(match, "Scopes"))?.[1] ?? "";
  try {
    return decodeURIComponent(value).slice(0, 80);
  } catch {
    return value.slice(0, 80);
  }
}
