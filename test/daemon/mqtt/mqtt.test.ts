import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MqttAlertEvent, MqttCameraEvent } from "../../../src/contract/mqtt.ts";
import { eventually } from "../../support/eventually.ts";
import { aedesBroker, mosquittoBroker, mosquittoInstalled } from "../../support/mqtt-broker.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { type MqttHome, mqttHome } from "./home.ts";

const brokers = { aedes: aedesBroker, mosquitto: mosquittoBroker };

describe.each(["aedes", "mosquitto"] as const)("MQTT with %s", (kind) => {
  describe.skipIf(kind === "mosquitto" && !mosquittoInstalled)("home", () => {
    let home: MqttHome;
    const yard = "homesec_camera_yard";
    const states = () => home.homeAssistant.entities();

    beforeAll(async () => {
      home = await mqttHome(await brokers[kind]());
      await home.homeAssistant.start();
    });
    afterAll(() => home.stop());

    it("MQTT: the house and a new camera appear in Home Assistant", async () => {
      await home.shows("select.homesec_mode", "home");
      await home.shows("alarm_control_panel.homesec_alarm", "armed_home");
      await home.picture("yard", "a.jpg");
      await home.shows(`binary_sensor.${yard}_occupancy_person`, "ON");
      await home.shows(`binary_sensor.${yard}_occupancy`, "ON");
      await home.shows(`binary_sensor.${yard}_problem`, "OFF");
      expect(home.homeAssistant.devices()).toEqual(["homesec", "yard"]);
      expect(home.homeAssistant.faults).toEqual([]);
    });

    it("MQTT: an event arrives once when it is stored and once with its score, with its picture", async () => {
      await home.shows(`sensor.${yard}_risk`, "42");
      const events = await eventually(() => {
        const found = home.homeAssistant.events.filter(({ topic }) => topic === "homesec/camera/yard/event");
        return found.length >= 2 ? found : undefined;
      });
      expect(events.map(({ data }) => data["event_type"])).toEqual(["stored", "scored"]);
      const [, scored] = events.map(({ data }) => MqttCameraEvent.decode(data as never));
      expect(scored).toMatchObject({ camera_id: "yard", risk_score: 42, object_types: ["person"] });
      expect(scored?.url).toBe(`http://192.168.1.10:8000/events/${scored?.event_id}`);
      await home.shows(`binary_sensor.${yard}_occupancy_person`, "OFF");
      const picture = await eventually(() => home.homeAssistant.picture(`image.${yard}_picture`));
      expect(picture.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
      // A private zone is black in the picture that the broker has
      const points = [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 1, y: 1 },
        { x: 0, y: 1 },
      ];
      await home.call("PUT", "/cameras/yard/zones/neighbour", { points, private: true });
      await eventually(() => home.homeAssistant.picture(`image.${yard}_picture`)?.equals(picture) === false);
    });

    it("MQTT: the switch of a camera's alerts is a silence, and its author is MQTT", async () => {
      await home.shows(`switch.${yard}_alerts`, "ON");
      await home.homeAssistant.command(`switch.${yard}_alerts`, "OFF");
      await home.shows(`switch.${yard}_alerts`, "OFF");
      const { items } = await home.call<{ items: unknown[] }>("GET", "/silences?status=active");
      expect(items).toMatchObject([{ camera_id: "yard", rule_id: null, created_by: "MQTT" }]);
      await home.homeAssistant.command(`switch.${yard}_alerts`, "ON");
      await home.shows(`switch.${yard}_alerts`, "ON");
    });

    it("MQTT: the alarm panel switches the mode, with the exit delay as arming", async () => {
      await home.homeAssistant.command("alarm_control_panel.homesec_alarm", "away");
      await home.shows("alarm_control_panel.homesec_alarm", "arming");
      await home.homeAssistant.command("select.homesec_mode", "night");
      await home.shows("alarm_control_panel.homesec_alarm", "armed_night");
      await home.shows("select.homesec_mode", "night");
      expect(await home.call("GET", "/mode")).toMatchObject({ mode: "night", set_by: "MQTT" });
      const { items } = await home.call<{ items: { by: string; operation: string }[] }>("GET", "/changes");
      expect(items.map(({ by, operation }) => `${by} ${operation}`)).toContain("MQTT setMode");
    });

    it("MQTT: alerts open, trigger the panel, and are acknowledged from Home Assistant", async () => {
      await home.call("POST", "/alerts/rules", {
        ...{ name: "Anyone", severity: "high", object_types: ["person"] },
        ...{ channels: ["push"], cooldown_seconds: 0 },
      });
      await home.picture("yard", "b.jpg");
      await home.shows("alarm_control_panel.homesec_alarm", "triggered");
      await home.shows("sensor.homesec_open_alerts", "1");
      const raised = await eventually(() => home.homeAssistant.events.find(({ data }) => data["event_type"] === "raised"));
      const { alert_id } = MqttAlertEvent.decode(raised.data as never);
      await home.homeAssistant.publish("homesec/alert/acknowledge", alert_id);
      await home.shows("sensor.homesec_open_alerts", "0");
      await home.shows("alarm_control_panel.homesec_alarm", "armed_night");
      const told = await eventually(() => home.homeAssistant.events.find(({ data }) => data["event_type"] === "acknowledged"));
      expect(told.data).toMatchObject({ alert_id, by: "MQTT", rule_name: "Anyone" });
    });

    it("MQTT: a retained command is refused, and so is a wrong one, with the reason", async () => {
      await home.homeAssistant.publish("homesec/mode/set", "party");
      const unknown = await eventually(() => home.homeAssistant.results.find(({ ok }) => ok === false));
      expect(unknown).toMatchObject({ topic: "homesec/mode/set", message: expect.stringContaining("party") });
      await home.homeAssistant.publish("homesec/silence/set", '{"all": true}');
      await eventually(() => home.homeAssistant.results.find(({ message }) => String(message).includes("duration_seconds")));
      await home.homeAssistant.publish("homesec/mode/set", "off", true);
      await home.shows("alarm_control_panel.homesec_alarm", "disarmed");
      await home.homeAssistant.publish("homesec/mode/set", "home");
      await home.shows("alarm_control_panel.homesec_alarm", "armed_home");
      await home.restart();
      await eventually(() => home.homeAssistant.results.find(({ message }) => String(message).includes("retained")));
      await home.homeAssistant.publish("homesec/mode/set", "", true);
      await home.shows("alarm_control_panel.homesec_alarm", "armed_home");
    });

    it("MQTT: a renamed camera keeps its ids, and a deleted one disappears", async () => {
      const before = states().map(({ id }) => id);
      await home.call("PATCH", "/cameras/yard", { name: "Back yard" });
      await eventually(() => home.homeAssistant.devices().includes("Back yard"));
      expect(states().map(({ id }) => id)).toEqual(before);
      await home.call("DELETE", "/cameras/yard");
      await eventually(() => home.homeAssistant.devices().length === 1);
      // A fresh Home Assistant finds only retained messages
      await home.homeAssistant.stop();
      await home.homeAssistant.start();
      await home.shows("select.homesec_mode", "home");
      expect(home.homeAssistant.devices()).toEqual(["homesec"]);
      await home.call("POST", "/cameras/yard/restore");
      await eventually(() => home.homeAssistant.devices().includes("Back yard"));
    });

    it("MQTT: pictures come in at the topic of a camera, also those that were sent while homesec was away, and none twice", async () => {
      const images = async () => {
        const { items } = await home.call<{ items: { path: string }[] }>("GET", "/images?camera_id=yard");
        return items.filter(({ path }) => path.includes("/mqtt-")).length;
      };
      const [first, second] = await Promise.all([uniqueJpeg(1), uniqueJpeg(2)]);
      const send = (bytes: Buffer, camera = "yard") => home.homeAssistant.publish(`homesec/camera/${camera}/picture/set`, bytes);
      const refusal = (text: string) =>
        eventually(() => home.homeAssistant.results.find(({ ok, message }) => ok === false && String(message).includes(text)));
      await send(first);
      await expect.poll(images).toBe(1);
      await send(first);
      await send(Buffer.from("no picture"));
      await refusal("no picture or video");
      await send(second, "garage");
      await refusal('No camera has the id "garage"');
      // As a broker does that did not get the acknowledgement, before the ledger knows the picture
      const again = await uniqueJpeg(3);
      const names = async () => (await readdir(join(home.daemon.cameraRoot, "yard"))).filter((name) => name.startsWith("mqtt-"));
      await home.withoutLedger(async () => {
        for (let sent = 0; sent < 3; sent += 1) await send(again);
        await expect.poll(async () => (await names()).length).toBeGreaterThan(1);
        await send(Buffer.from("a sign that the others were taken"));
        await expect
          .poll(() => home.homeAssistant.results.filter(({ message }) => String(message).includes("no picture or")).length)
          .toBe(2);
        expect(await names()).toHaveLength(2);
      });
      await expect.poll(images).toBe(2);
      await home.daemon.stop();
      await send(second);
      await home.startDaemon();
      await expect.poll(images).toBe(3);
    });

    it("MQTT: a camera whose folder is away holds up no other camera, and gets its pictures later, also after a restart", async () => {
      const images = async (camera: string) => {
        const { items } = await home.call<{ items: { path: string }[] }>("GET", `/images?camera_id=${camera}`);
        return items.filter(({ path }) => path.includes("/mqtt-")).length;
      };
      const send = async (camera: string) => home.homeAssistant.publish(`homesec/camera/${camera}/picture/set`, await uniqueJpeg());
      const health = async () => JSON.stringify(await home.call("GET", "/system/health"));
      await home.call("POST", "/cameras", { name: "Hall", camera_id: "hall" });
      // Each picture is refused until the receiver knows the camera
      let sent = 0;
      const refused = () => home.homeAssistant.results.filter(({ message }) => String(message).includes('the id "hall"')).length;
      const answered = async () => (await images("hall")) + refused();
      const firstOfHall = async () => {
        await send("hall");
        sent += 1;
        await expect.poll(answered).toBe(sent);
        return await images("hall");
      };
      await expect.poll(firstOfHall).toBe(1);
      const before = await images("yard");
      // As a share is for a moment
      const folder = join(home.daemon.cameraRoot, "yard");
      await rename(folder, `${folder}-away`);
      for (const camera of ["yard", "hall", "yard", "hall"]) await send(camera);
      await expect.poll(() => images("hall")).toBe(3);
      await expect.poll(health).toMatch(/The folder of Back yard cannot be used: [^"]*; homesec keeps 2 of its pictures/);
      await home.restart();
      await send("yard");
      await expect.poll(health).toContain("homesec keeps 3 of its pictures");
      expect(await images("yard")).toBe(before);
      await rename(`${folder}-away`, folder);
      await expect.poll(() => images("yard")).toBe(before + 3);
      await expect.poll(health).not.toContain("of its pictures");
      await home.call("DELETE", "/cameras/hall");
    });

    it("MQTT: a camera that was deleted while homesec had no broker is removed afterwards", async () => {
      await home.daemon.stop();
      await eventually(() => states().every(({ available }) => !available));
      const url = home.daemon.context.config.mqttUrl as string;
      await home.homeAssistant.publish(
        "homeassistant/device/homesec_camera_old/config",
        JSON.stringify({
          device: { identifiers: ["homesec_camera_old"], name: "Old" },
          origin: { name: "homesec" },
          availability: [{ topic: "homesec/status" }],
          components: { x: { platform: "button", unique_id: "x", name: "x", command_topic: "x", default_entity_id: "button.x" } },
        }),
        true,
      );
      await home.homeAssistant.publish("homesec/camera/old/availability", "online", true);
      expect(url).toContain("mqtt://");
      await eventually(() => home.homeAssistant.devices().includes("Old"));
      await home.startDaemon();
      await eventually(() => !home.homeAssistant.devices().includes("Old"));
      await home.shows("select.homesec_mode", "home");
    });

    it("MQTT: an 'offline' of an earlier connection does not make homesec unavailable", async () => {
      await home.homeAssistant.publish("homesec/status", "offline", true);
      await home.shows("select.homesec_mode", "home");
    });
  });
});
