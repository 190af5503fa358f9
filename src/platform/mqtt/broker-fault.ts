import { failureText } from "../outbound/failure.ts";

/** The broker cannot be used; the message says why and what to do. */
export class BrokerFault extends Error {
  override name = "BrokerFault";
}

/** A message cannot be handled now, so that the connection ended without its acknowledgement; the broker sends it again. */
export class LeftWithBroker extends BrokerFault {
  override name = "LeftWithBroker";
}

/** Meanings of the return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
const refusals: Readonly<Record<number, string>> = {
  1: "it does not speak MQTT 3.1.1; update the broker",
  2: "it refuses the client id; allow it in the broker's configuration",
  3: "it says that it is not available; look into its log",
  4: "it refuses the user name or password; correct MQTT_USERNAME and MQTT_PASSWORD",
  5: "it refuses the login; set MQTT_USERNAME and MQTT_PASSWORD to a user of the broker",
};

/** Returns the fault for an error of the MQTT library. `place` is the host and port of the broker. */
export function brokerFault(place: string, error: unknown): BrokerFault {
  if (error instanceof BrokerFault) return error;
  return new BrokerFault(`MQTT broker ${reasonOf(place, error)}`, { cause: error });
}

function reasonOf(place: string, error: unknown): string {
  const { code, message = "" } = error as { readonly code?: unknown; readonly message?: string };
  if (typeof code === "number" && refusals[code] !== undefined) return `${place}: ${refusals[code]}`;
  if (/connack timeout/i.test(message)) {
    return `${place}: it accepts the connection but does not answer; check the port, and whether it needs mqtts://`;
  }
  if (/^(?:keepalive|acknowledgement) timeout/i.test(message)) return `${place}: it stopped answering`;
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return `${place}: this port does not use TLS; use mqtt://, or the TLS port of the broker (usually 8883)`;
  }
  return failureText(place, error);
}
