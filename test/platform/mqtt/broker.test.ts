import { afterEach, describe, expect, it } from "vitest";
import { type BrokerMessage, type BrokerOptions, connectBroker } from "../../../src/platform/mqtt/broker.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { aedesBroker } from "../../support/mqtt-broker.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function broker(options: Parameters<typeof aedesBroker>[0] = {}) {
  const started = await aedesBroker(options);
  open.push(() => started.stop());
  return started;
}

async function client(options: Pick<BrokerOptions, "url"> & Partial<BrokerOptions>) {
  const messages: BrokerMessage[] = [];
  const connection = await connectBroker({
    clientId: `test-${Math.random()}`,
    onMessage: async (message) => void messages.push(message),
    ...options,
  });
  open.push(() => connection.close());
  return { ...connection, connection, messages };
}

const refusalOf = async (options: Pick<BrokerOptions, "url"> & Partial<BrokerOptions>): Promise<string> =>
  await connectBroker({ clientId: "test", onMessage: async () => {}, ...options }).then(
    () => "",
    (error: Error) => error.message,
  );

describe("MQTT broker", () => {
  it("MQTT broker: messages arrive with topic, bytes and whether the broker kept them", async () => {
    const { url } = await broker();
    const { connection: sender } = await client({ url });
    await sender.publish("a/picture", Buffer.from([0xff, 0xd8, 0]), { retain: true });
    const { connection, messages } = await client({ url });
    await connection.subscribe(["a/#"]);
    await sender.publish("a/event", "{}", { retain: false });
    await eventually(() => messages.length === 2);
    expect(messages.map(({ topic, payload, retained }) => [topic, [...payload], retained])).toEqual([
      ["a/picture", [0xff, 0xd8, 0], true],
      ["a/event", [0x7b, 0x7d], false],
    ]);
  });

  it("MQTT broker: a lost connection ends what waits for an answer, and the broker publishes the will", async () => {
    const { url } = await broker();
    const { connection: watcher, messages } = await client({ url });
    await watcher.subscribe(["home/status"]);
    const { connection } = await client({ url, will: { topic: "home/status", payload: "offline" } });
    connection.destroy();
    await expect(connection.publish("home/a", "1", { retain: false })).rejects.toThrow(/closed/);
    expect((await connection.ended)?.message).toContain("it closed the connection");
    await eventually(() => messages.some(({ payload }) => payload.toString() === "offline"));
  });

  it("MQTT broker: a clean end publishes no will and is no fault", async () => {
    const { url } = await broker();
    const { connection: watcher, messages } = await client({ url });
    await watcher.subscribe(["home/#"]);
    const { connection } = await client({ url, will: { topic: "home/status", payload: "offline" } });
    await connection.close();
    expect(await connection.ended).toBeUndefined();
    await watcher.publish("home/last", "", { retain: false });
    await eventually(() => messages.length > 0);
    expect(messages.map(({ topic }) => topic)).toEqual(["home/last"]);
  });

  it("MQTT broker: a second client with the same id ends the first", async () => {
    const { url } = await broker();
    const { connection: first } = await client({ url, clientId: "homesec-1" });
    await client({ url, clientId: "homesec-1" });
    expect((await first.ended)?.message).toContain("it closed the connection");
  });

  it("MQTT broker: faults name the broker, the reason and the fix, but no password", async () => {
    const port = await freePort();
    expect(await refusalOf({ url: `mqtt://127.0.0.1:${port}` })).toBe(
      `MQTT broker 127.0.0.1:${port}: nothing listens there (ECONNREFUSED)`,
    );
    expect(await refusalOf({ url: "mqtt://nobody.invalid" })).toContain("MQTT broker nobody.invalid:1883: the name");
    for (const [returnCode, fix] of [
      [4, "correct MQTT_USERNAME and MQTT_PASSWORD"],
      [5, "set MQTT_USERNAME and MQTT_PASSWORD"],
    ] as const) {
      const { url } = await broker({
        authenticate: (_client, _name, _word, done) => done(Object.assign(new Error(), { returnCode }), false),
      });
      const message = await refusalOf({ url, username: "anna", password: "hidden-word" });
      expect(message).toContain(fix);
      expect(message).not.toContain("hidden-word");
    }
    const { url } = await broker();
    expect(await refusalOf({ url: url.replace("mqtt:", "mqtts:") })).toMatch(/TLS|closed/);
  });

  it("MQTT broker: user name and password of the address come before the others", async () => {
    const seen: string[] = [];
    const { url } = await broker({
      authenticate: (_client, name, word, done) => {
        seen.push(`${name} ${word?.toString()}`);
        done(null, true);
      },
    });
    await client({ url: url.replace("//", "//anna:p%40ss@"), username: "other", password: "word" });
    await client({ url, username: "other", password: "word" });
    expect(seen).toEqual(["anna p@ss", "other word"]);
  });

  it("MQTT broker: a message is acknowledged once it was handled, and a failure leaves it to the broker", async () => {
    const { url } = await broker();
    const { connection: sender } = await client({ url });
    const handled: string[] = [];
    const failing = await connectBroker({
      url,
      clientId: "fails",
      onMessage: async ({ payload }) => {
        handled.push(payload.toString());
        throw new Error("disk full");
      },
    });
    open.push(() => failing.close());
    await failing.subscribe(["in/#"]);
    await sender.publish("in/1", "one", { retain: false });
    await sender.publish("in/2", "two", { retain: false });
    expect(String(await failing.ended)).toContain("the connection failed");
    expect(handled).toEqual(["one"]);
  });
});
