import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandOf } from "../../../src/admin/mqtt/commands.ts";
import { type DiscoveryConfig, discoveryOf, readOwnConfig, withRemovals } from "../../../src/admin/mqtt/discovery.ts";
import type { CameraNow, HomeNow } from "../../../src/admin/mqtt/home.ts";
import { alarmState, msUntilChange, type StateSettings, statesOf } from "../../../src/admin/mqtt/states.ts";
import { clientIdOf } from "../../../src/admin/mqtt/topics.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import { MqttCameraState } from "../../../src/contract/mqtt.ts";
import { discoveryFaults } from "../../support/home-assistant-schemas.ts";

const now = new Date("2026-11-27T22:00:00Z");
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);

const camera: CameraNow = {
  ...{ id: "yard", name: "Yard", status: "online", reason: null, lastSeenAt: ago(3), seen: {}, classes: ["person"] },
  ...{ event: null, pictureOf: null, privateParts: [], silencedUntil: null },
};
const home: HomeNow = {
  mode: { mode: "home", since: null, set_by: null, source: null, pending: null },
  modes: ["home", "away", "night", "off"],
  alerts: { count: 0, highest: null, gravestSince: null, heldUntil: null, newest: null },
  silencedUntil: null,
  cameras: [camera],
  deletedCameras: [],
};
const states: StateSettings = { prefix: "homesec", version: "1.0.0", occupiedMs: 30_000, linkOf: () => null };
const shown = {
  prefix: "homesec",
  discoveryPrefix: "homeassistant",
  version: "1.0.0",
  supportUrl: "https://example.org",
  pageUrl: undefined,
};

const stateOf = (of: Partial<CameraNow>) =>
  MqttCameraState.decode(
    JSON.parse(statesOf({ ...home, cameras: [{ ...camera, ...of }] }, states, now).get("homesec/camera/yard/state") ?? "") as never,
  );

describe("MQTT rules", () => {
  it("MQTT rules: a class is seen until nothing was for the time limit", () => {
    expect(stateOf({ seen: { person: ago(29) } })).toMatchObject({ occupied: true, occupancy: { person: true } });
    expect(stateOf({ seen: { person: ago(30) } })).toMatchObject({ occupied: false, occupancy: { person: false } });
    expect(msUntilChange({ ...home, cameras: [{ ...camera, seen: { person: ago(29) } }] }, states, now)).toBe(1_000);
    expect(msUntilChange(home, states, now)).toBeUndefined();
  });

  it("MQTT rules: a camera without pictures is unavailable and a problem, a new one is neither", () => {
    const available = (status: CameraNow["status"]) =>
      statesOf({ ...home, cameras: [{ ...camera, status }] }, states, now).get("homesec/camera/yard/availability");
    expect((["online", "unknown", "offline", "error"] as const).map(available)).toEqual(["online", "online", "offline", "offline"]);
    expect(stateOf({ status: "error", reason: "its folder is missing" })).toMatchObject({ problem: true, reason: "its folder is missing" });
    expect(stateOf({ status: "unknown", reason: "no picture yet" })).toMatchObject({ problem: false, reason: null });
  });

  it("MQTT rules: the alarm panel arms, waits, triggers, and ends with the mode", () => {
    const away = { mode: "away", since: ago(100), set_by: null, source: null, pending: null } as const;
    const none = home.alerts;
    const alarm = (mode: HomeNow["mode"], alerts: Partial<HomeNow["alerts"]>) => alarmState({ mode, alerts: { ...none, ...alerts } }, now);
    const pending = { mode: "away", effective_at: ago(-10), requested_at: ago(50), set_by: null };
    expect(alarm({ ...home.mode, pending }, {})).toBe("arming");
    expect(alarm({ ...home.mode, pending: { ...pending, effective_at: ago(1) } }, {})).toBe("armed_home");
    expect(alarm(away, { heldUntil: ago(-5) })).toBe("pending");
    expect(alarm(away, { gravestSince: ago(50) })).toBe("triggered");
    expect(alarm(away, { gravestSince: ago(150) })).toBe("armed_away");
    expect(alarm({ ...away, mode: "off" }, { gravestSince: ago(50) })).toBe("disarmed");
    expect(alarm({ ...away, mode: "party" }, {})).toBe("armed_custom_bypass");
  });

  it("MQTT rules: Home Assistant accepts the discovery of any camera and prefix", () => {
    const id = fc.stringMatching(/^[a-z0-9_-]{1,64}$/);
    const prefix = fc.stringMatching(/^[a-z0-9_-]{1,10}(\/[a-z0-9_-]{1,10})?$/);
    const cameras = fc.uniqueArray(
      fc.record({ id, name: fc.string({ minLength: 1 }), classes: fc.uniqueArray(fc.constantFrom(...objectTypes)) }),
      { selector: (one) => one.id, maxLength: 5 },
    );
    fc.assert(
      fc.property(cameras, prefix, fc.option(fc.constant("http://10.0.0.1:8000"), { nil: undefined }), (list, topics, pageUrl) => {
        const all = { ...home, cameras: list.map((one) => ({ ...camera, ...one })) };
        const configs = discoveryOf(all, { ...shown, prefix: topics, pageUrl });
        expect(configs.size).toBe(list.length + 1);
        for (const [topic, config] of configs) {
          const wire = JSON.parse(JSON.stringify(config)) as DiscoveryConfig;
          expect(discoveryFaults(topic, wire as never)).toEqual([]);
          expect(readOwnConfig(JSON.stringify(config), topics)?.components).toEqual(wire.components);
          expect(readOwnConfig(JSON.stringify(config), `${topics}2`)).toBeUndefined();
        }
        const texts = statesOf(all, { ...states, prefix: topics }, now);
        for (const config of configs.values()) expect(texts.has(config.state_topic)).toBe(true);
      }),
    );
  });

  it("MQTT rules: an entity that is no more is removed by its platform alone, once", () => {
    const [, [, before] = []] = discoveryOf({ ...home, cameras: [{ ...camera, classes: ["car", "person"] }] }, shown);
    const [, [, after] = []] = discoveryOf(home, shown);
    if (!before || !after) throw new Error("no camera");
    const next = withRemovals(after, before);
    expect(next.components["occupancy_car"]).toEqual({ platform: "binary_sensor" });
    expect(withRemovals(after, next)).toBe(after);
    expect(withRemovals(after, undefined)).toBe(after);
  });

  it("MQTT rules: what is no discovery message of homesec is left alone", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (payload) => {
        expect(readOwnConfig(payload, "homesec")).toBeUndefined();
      }),
    );
  });

  it("MQTT rules: any command is one, none, or a refusal that says what to send", () => {
    const topic = fc.oneof(
      fc.constantFrom(
        "homesec/mode/set",
        "homesec/alert/acknowledge",
        "homesec/silence/set",
        "homesec/camera/yard/alerts/set",
        "homesec/camera/a/b/alerts/set",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(topic, fc.uint8Array({ maxLength: 5_000 }), (name, payload) => {
        try {
          commandOf(name, Buffer.from(payload), "homesec");
        } catch (error) {
          expect((error as Error).name).toBe("Problem");
        }
      }),
    );
    const of = (name: string, text: string) => commandOf(`homesec/${name}`, Buffer.from(text), "homesec");
    expect(of("camera/front-door/alerts/set", "off")).toEqual({ kind: "switch_alerts", cameraId: "front-door", allow: false });
    expect(of("alert/dismiss", "all")).toEqual({ kind: "end_all", operation: "dismissAlert" });
    expect(of("state", "x")).toBeUndefined();
    expect(() => of("silence/set", "[]")).toThrow("send one such as");
  });

  it("MQTT rules: a client id is the same after a restart and differs between daemons", () => {
    const daemon = { host: "pi", dataDir: "/var/lib/homesec", port: 8000 };
    expect(clientIdOf(daemon)).toBe(clientIdOf({ ...daemon }));
    expect(clientIdOf({ ...daemon, port: 8001 })).not.toBe(clientIdOf(daemon));
    expect(clientIdOf(daemon)).toMatch(/^homesec-[0-9a-f]{12}$/);
  });
});
