import { type Check, finding, NotPossible, ok } from "../check.ts";
import { nameFault } from "../names.ts";
import { reasonOf, splitFix } from "../wording.ts";

/** A broker in the home network answers at once. */
const answerTimeoutMs = 5_000;

export const mqtt: Check = {
  id: "mqtt",
  group: "notifications",
  title: "MQTT broker",
  severity: "error",
  finds: "The broker of MQTT_URL does not answer, or refuses the login or the topics",
  async run({ config, machine }, signal) {
    const { mqttUrl: url, mqttUsername: username, mqttPassword: password, mqttTopicPrefix: prefix } = config();
    if (url === undefined) throw new NotPossible("MQTT_URL is not set: homesec is not in Home Assistant");
    const { connectBroker, placeOf } = await import("../../../platform/mqtt/broker.ts");
    const { topicsBelow } = await import("../../mqtt/topics.ts");
    const unknown = await nameFault(machine, new URL(url).hostname.replace(/^\[(.*)\]$/, "$1"));
    if (unknown !== undefined) return finding(`MQTT broker ${placeOf(url)}: ${unknown}`, "Correct MQTT_URL");
    try {
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
      // Another client id than the daemon's: a broker ends the first of two connections with the same one
      const clientId = `homesec-doctor-${process.pid}`;
      const connection = await connectBroker({ url, username, password, clientId, signal: timeout, onMessage: async () => {} });
      await connection.subscribe([topicsBelow(prefix).status]).finally(() => connection.close());
      return ok(placeOf(url));
    } catch (error) {
      const [text, fix] = splitFix(reasonOf(error));
      return finding(text, fix ?? "Start the broker, or correct MQTT_URL. Without MQTT_URL, homesec uses no MQTT");
    }
  },
};
