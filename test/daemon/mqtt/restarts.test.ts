import { describe, expect, it } from "vitest";
import { type Chance, chanceFrom } from "../../support/chance.ts";
import { eventually } from "../../support/eventually.ts";
import { aedesBroker, mosquittoBroker, mosquittoInstalled, type TestBroker } from "../../support/mqtt-broker.ts";
import { type MqttHome, mqttHome } from "./home.ts";

/** Restarts of each broker; `npm run mqtt` makes 100 with each. */
const rounds = Number(process.env["MQTT_RESTARTS"] ?? 4);
const roundMs = 60_000;
/** A failure names it; `TEST_SEED` repeats its choices. */
const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 1_000_000);

/** The home with what it should show. */
interface Run {
  readonly home: MqttHome;
  readonly broker: TestBroker;
  readonly chance: Chance;
  /** Names of the cameras that exist, by id. */
  readonly cameras: Map<string, string>;
  /** Events that happened while there was no broker. */
  readonly unheard: Set<number>;
}

type Step = (run: Run) => Promise<void>;

/** Changes of a round while one of the three is away. */
const changes: readonly Step[] = [
  async () => {},
  async ({ home, cameras, chance }) => {
    const [id = ""] = chance.pick([...cameras.keys()]).split(" ");
    const name = `${id} ${chance.below(1_000_000)}`;
    await home.call("PATCH", `/cameras/${id}`, { name });
    cameras.set(id, name);
  },
  async ({ home, cameras, chance }) => {
    const id = `cam-${chance.below(1_000_000)}`;
    await home.call("POST", "/cameras", { name: id, camera_id: id });
    cameras.set(id, id);
  },
  async ({ home, cameras, chance }) => {
    if (cameras.size < 3) return;
    const id = chance.pick([...cameras.keys()].filter((each) => each !== "yard"));
    await home.call("DELETE", `/cameras/${id}`);
    cameras.delete(id);
  },
];

const change: Step = async (run) => await run.chance.pick(changes)(run);

const restarts: readonly Step[] = [
  async (run) => {
    await run.broker.stop();
    await change(run);
    await run.broker.start();
  },
  async (run) => {
    await run.home.homeAssistant.stop();
    await change(run);
    await run.home.homeAssistant.start();
  },
  async (run) => {
    await change(run);
    await run.home.restart();
  },
  async (run) => {
    // All at once, in any order
    await Promise.all([run.broker.stop(), run.home.homeAssistant.stop()]);
    await Promise.all([run.home.restart(), run.home.homeAssistant.start(), run.broker.start()]);
  },
  async (run) => {
    await run.broker.stop();
    run.unheard.add(await eventOf(run));
    await run.broker.start();
  },
];

/** Puts a picture, and returns the id of its event once it has a score. */
async function eventOf({ home, chance }: Run): Promise<number> {
  interface Events {
    readonly items: readonly { readonly id: number; readonly analysis_status: string }[];
  }
  const before = (await home.call<Events>("GET", "/events?limit=1")).items[0]?.id ?? 0;
  await home.picture("yard", `${chance.below(1e9)}.jpg`);
  return await eventually(async () => {
    const [newest] = (await home.call<Events>("GET", "/events?limit=1")).items;
    return newest && newest.id > before && newest.analysis_status === "completed" ? newest.id : undefined;
  });
}

/** Waits until Home Assistant shows the cameras that exist and all of their entities, and no others. */
async function settled({ home, cameras }: Run): Promise<void> {
  const { homeAssistant } = home;
  const wanted = ["homesec", ...cameras.values()].toSorted();
  await eventually(
    () => {
      const away = homeAssistant.entities().filter(({ available }) => !available);
      const shown = homeAssistant.devices();
      if (JSON.stringify(shown) === JSON.stringify(wanted) && away.length === 0) return true;
      throw new Error(
        `TEST_SEED=${seed}: shows ${shown.join(", ")} instead of ${wanted.join(", ")}; unavailable: ${away.map(({ id }) => id).join(", ")}`,
      );
    },
    { timeoutMs: roundMs },
  );
}

function expectOnce({ home, unheard }: Run): void {
  const { events, faults, entities } = { ...home.homeAssistant, entities: home.homeAssistant.entities() };
  const told = events.map(({ topic, data }) => `${topic} ${String(data["event_type"])} ${String(data["alert_id"] ?? data["event_id"])}`);
  expect(told.filter((one, index) => told.indexOf(one) !== index)).toEqual([]);
  expect(events.filter(({ data }) => unheard.has(data["event_id"] as number))).toEqual([]);
  expect(faults).toEqual([]);
  const ids = entities.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
}

describe.each(["aedes", "mosquitto"] as const)("MQTT restarts with %s", (kind) => {
  it.skipIf(kind === "mosquitto" && !mosquittoInstalled)(
    "MQTT restarts: no ghost, nothing unavailable, nothing doubled, and no old event",
    async () => {
      const broker = await { aedes: aedesBroker, mosquitto: mosquittoBroker }[kind]();
      const home = await mqttHome(broker);
      const chance = chanceFrom(seed).of(kind);
      const run: Run = { home, broker, chance, cameras: new Map([["yard", "yard"]]), unheard: new Set() };
      try {
        await home.homeAssistant.start();
        await eventOf(run);
        for (let round = 0; round < rounds; round += 1) {
          // Each kind of restart comes in the short form, too
          await (round < restarts.length ? restarts[(round + (kind === "aedes" ? 0 : 2)) % restarts.length] : chance.pick(restarts))?.(run);
          await settled(run);
          expectOnce(run);
        }
        await eventOf(run);
        await eventually(() => home.homeAssistant.events.some(({ data }) => data["event_type"] === "scored"));
        expectOnce(run);
      } finally {
        await home.stop();
      }
    },
    60_000 + rounds * roundMs,
  );
});
