import { isIP, isIPv4 } from "node:net";
import { clientOf } from "../guard.ts";
import type { Answer } from "./commands.ts";
import { ActiveChannel, PassiveChannel } from "./data-channel.ts";
import { TransferFault } from "./limits.ts";
import { passiveAddress } from "./passive-ports.ts";
import type { Reply, Session } from "./session.ts";

/** Lower ports belong to services of the system, which an FTP server must not be made to talk to. */
const lowestPort = 1_024;

/** The commands that prepare a data connection. */
export const channelCommands: Readonly<Record<string, Answer>> = {
  PASV: async (session) => {
    const { client, localAddress, parts } = session;
    const address = passiveAddress({ client, local: clientOf(localAddress), configured: parts.passiveHost() });
    if (address === undefined) return [425, "PASV has no form for IPv6 addresses; use EPSV"];
    return await passive(session, (port) => [227, `Entering Passive Mode (${[...address.split("."), port >> 8, port & 255].join(",")})`]);
  },

  EPSV: async (session, argument) => {
    if (/^ALL$/i.test(argument)) return [200, "OK"];
    const family = isIPv4(clientOf(session.localAddress)) ? "1" : "2";
    if (argument !== "" && argument !== family) return [522, `The network protocol is (${family})`];
    return await passive(session, (port) => [229, `Entering Extended Passive Mode (|||${port}|)`]);
  },

  PORT: (session, argument) => {
    const parts = /^(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})$/.exec(argument.trim())?.slice(1).map(Number);
    if (!parts || parts.some((part) => part > 255)) return [501, "PORT needs six numbers from 0 to 255"];
    const [high = 0, low = 0] = parts.slice(4);
    return active(session, parts.slice(0, 4).join("."), high * 256 + low);
  },

  EPRT: (session, argument) => {
    const [, , protocol, address = "", port] = /^(.)([12])\1([0-9A-Fa-f.:]{2,45})\1(\d{1,5})\1$/.exec(argument.trim()) ?? [];
    if (isIP(address) !== (protocol === "1" ? 4 : 6))
      return [501, "EPRT needs a protocol, an address and a port, as in |1|192.168.1.64|5000|"];
    return active(session, clientOf(address), Number(port));
  },
};

async function passive(session: Session, reply: (port: number) => Reply): Promise<Reply> {
  const { client, localAddress: host, parts } = session;
  session.setChannel(undefined);
  try {
    const channel = await PassiveChannel.open({
      ...{ host, client, ports: parts.ports, limits: parts.limits },
      address: parts.passiveHost() ?? clientOf(host),
      onFault: (message) => session.fault(message),
    });
    session.setChannel(channel);
    return reply(channel.port);
  } catch (error) {
    if (!(error instanceof TransferFault)) throw error;
    session.fault(error.message);
    return [error.code, "No port is free; try later"];
  }
}

/** Accepts only the client's own address: everything else would let it attack others through this machine (FTP bounce). */
function active(session: Session, address: string, port: number): Reply {
  const { client, parts } = session;
  if (address !== client) {
    session.fault(`Asked for a connection to ${address}, which is not its own address, and was refused; let the camera use passive mode`);
    return [501, "Only your own address is accepted; use passive mode"];
  }
  if (port < lowestPort || port > 65_535) {
    session.fault(`Asked for a connection to its port ${port}, and was refused; let the camera use passive mode`);
    return [501, `Only ports from ${lowestPort} to 65535 are accepted; use passive mode`];
  }
  session.setChannel(new ActiveChannel({ client, port, limits: parts.limits }));
  return [200, "OK"];
}
