import { alertEventTypes, cameraEventTypes } from "../../contract/mqtt.ts";
import type { CameraNow, HomeNow } from "./home.ts";
import { nodeId, topicsBelow } from "./topics.ts";

/** One entity of a device, in the words of Home Assistant. */
export type Component = { readonly platform: string } & Readonly<Record<string, unknown>>;

/** The discovery message of a device: `<discovery prefix>/device/<id>/config`. */
export interface DiscoveryConfig {
  readonly device: Readonly<Record<string, unknown>> & { readonly identifiers: readonly string[]; readonly name: string };
  readonly origin: { readonly name: string; readonly sw_version: string; readonly support_url: string };
  readonly availability: readonly { readonly topic: string }[];
  readonly availability_mode: "all";
  readonly state_topic: string;
  readonly qos: 1;
  readonly components: Readonly<Record<string, Component>>;
}

/** What discovery depends on besides the home. */
export interface DiscoverySettings {
  readonly prefix: string;
  readonly discoveryPrefix: string;
  readonly version: string;
  readonly supportUrl: string;
  /** Address of the web page; undefined if it is not known. */
  readonly pageUrl: string | undefined;
}

/** The name in `origin`. It marks the devices of homesec. */
export const originName = "homesec";

/** Returns the discovery messages of all devices by topic, the one of the house first: the others refer to it. */
export function discoveryOf(home: HomeNow, settings: DiscoverySettings): ReadonlyMap<string, DiscoveryConfig> {
  const configs = [houseOf(home, settings), ...home.cameras.map((camera) => cameraOf(camera, settings))];
  return new Map(configs.map((config) => [discoveryTopic(settings.discoveryPrefix, config.device.identifiers[0] as string), config]));
}

/** Returns the topic of a device's discovery message. */
export function discoveryTopic(discoveryPrefix: string, deviceId: string): string {
  return `${discoveryPrefix}/device/${deviceId}/config`;
}

/** Returns the topics of the discovery messages of deleted cameras. */
export function deletedTopics({ deletedCameras }: HomeNow, { prefix, discoveryPrefix }: DiscoverySettings): readonly string[] {
  return deletedCameras.map((id) => discoveryTopic(discoveryPrefix, cameraDevice(prefix, id)));
}

/** Returns the id of a camera's device, which a new name does not change. */
function cameraDevice(prefix: string, cameraId: string): string {
  return `${nodeId(prefix)}_camera_${cameraId}`;
}

/** What all messages have in common. `components` are completed with their ids. */
function configOf(
  settings: DiscoverySettings,
  device: DiscoveryConfig["device"],
  topics: { readonly state: string; readonly availability: readonly string[] },
  components: Readonly<Record<string, Component>>,
): DiscoveryConfig {
  const { version, supportUrl } = settings;
  const [deviceId = ""] = device.identifiers;
  const withIds = Object.entries(components).map(([key, component]): [string, Component] => {
    const id = `${deviceId}_${key}`;
    return [
      key,
      { ...component, unique_id: id, default_entity_id: `${component.platform}.${id.toLowerCase().replace(/[^a-z0-9]+/g, "_")}` },
    ];
  });
  return {
    device: { ...device, manufacturer: "homesec", sw_version: version },
    origin: { name: originName, sw_version: version, support_url: supportUrl },
    availability: topics.availability.map((topic) => ({ topic })),
    availability_mode: "all",
    state_topic: topics.state,
    qos: 1,
    components: Object.fromEntries(withIds),
  };
}

/** A template for a value of the state. */
const value = (path: string): string => `{{ value_json.${path} }}`;
const onOff = (path: string): string => `{{ 'ON' if value_json.${path} else 'OFF' }}`;
/** Attributes beside the state, as a JSON object. */
const attributes = (topic: string, fields: Readonly<Record<string, string>>) => ({
  json_attributes_topic: topic,
  json_attributes_template: `{{ {${Object.entries(fields)
    .map(([name, path]) => `'${name}': value_json.${path}`)
    .join(", ")}} | tojson }}`,
});

function houseOf({ modes }: HomeNow, settings: DiscoverySettings): DiscoveryConfig {
  const topics = topicsBelow(settings.prefix);
  const device = {
    identifiers: [nodeId(settings.prefix)],
    name: "homesec",
    ...(settings.pageUrl && { configuration_url: settings.pageUrl }),
  };
  return configOf(
    settings,
    device,
    { state: topics.state, availability: [topics.status] },
    {
      alarm: {
        platform: "alarm_control_panel",
        name: "Alarm",
        value_template: value("alarm"),
        command_topic: topics.modeSet,
        ...{ payload_arm_home: "home", payload_arm_away: "away", payload_arm_night: "night", payload_disarm: "off" },
        supported_features: ["arm_home", "arm_away", "arm_night"],
        ...{ code_arm_required: false, code_disarm_required: false },
        ...attributes(topics.state, { mode: "mode", set_by: "mode_set_by", since: "mode_since", next_mode: "next_mode" }),
      },
      mode: {
        platform: "select",
        name: "Mode",
        icon: "mdi:home-lock",
        value_template: value("mode"),
        command_topic: topics.modeSet,
        options: [...modes],
      },
      open_alerts: {
        platform: "sensor",
        name: "Open alerts",
        icon: "mdi:bell-alert",
        state_class: "measurement",
        value_template: value("open_alerts"),
        ...attributes(topics.state, {
          highest_severity: "highest_severity",
          newest_alert: "newest_alert",
          silenced_until: "silenced_until",
        }),
      },
      alert: { platform: "event", name: "Alert", icon: "mdi:bell", state_topic: topics.alert, event_types: [...alertEventTypes] },
      acknowledge: {
        platform: "button",
        name: "Acknowledge all alerts",
        icon: "mdi:bell-check",
        command_topic: topics.acknowledge,
        payload_press: "all",
      },
      update: {
        platform: "update",
        name: "Version",
        entity_category: "diagnostic",
        title: "homesec",
        value_template: "{{ {'installed_version': value_json.version} | tojson }}",
      },
    },
  );
}

function cameraOf(camera: CameraNow, settings: DiscoverySettings): DiscoveryConfig {
  const { status, camera: topicsOf } = topicsBelow(settings.prefix);
  const topics = topicsOf(camera.id);
  const page = settings.pageUrl && `${settings.pageUrl}/cameras/${encodeURIComponent(camera.id)}`;
  const device = {
    identifiers: [cameraDevice(settings.prefix, camera.id)],
    name: camera.name,
    model: "Camera",
    via_device: nodeId(settings.prefix),
    ...(page && { configuration_url: page }),
  };
  // The health of the camera and the switch stay available while the camera sends nothing.
  const whileOffline = { availability: [{ topic: status }] };
  return configOf(
    settings,
    device,
    { state: topics.state, availability: [status, topics.availability] },
    {
      picture: { platform: "image", name: "Picture", image_topic: topics.picture, content_type: "image/jpeg" },
      event: {
        platform: "event",
        name: "Event",
        icon: "mdi:motion-sensor",
        state_topic: topics.event,
        event_types: [...cameraEventTypes],
        ...whileOffline,
      },
      occupancy: { platform: "binary_sensor", device_class: "occupancy", value_template: onOff("occupied") },
      ...Object.fromEntries(camera.classes.map((objectType) => [`occupancy_${objectType}`, occupancyOf(objectType)])),
      risk: {
        platform: "sensor",
        name: "Risk",
        icon: "mdi:shield-alert",
        state_class: "measurement",
        value_template: value("risk_score"),
        ...attributes(topics.state, { level: "risk_level", event: "event" }),
      },
      last_seen: {
        platform: "sensor",
        name: "Last seen",
        device_class: "timestamp",
        entity_category: "diagnostic",
        value_template: value("last_seen_at"),
        ...whileOffline,
      },
      problem: {
        platform: "binary_sensor",
        device_class: "problem",
        entity_category: "diagnostic",
        value_template: onOff("problem"),
        ...attributes(topics.state, { status: "status", reason: "reason" }),
        ...whileOffline,
      },
      alerts: {
        platform: "switch",
        name: "Alerts",
        icon: "mdi:bell",
        value_template: onOff("alerts_allowed"),
        command_topic: topics.alertsSet,
        ...{ payload_on: "ON", payload_off: "OFF" },
        ...attributes(topics.state, { silenced_until: "silenced_until" }),
        ...whileOffline,
      },
    },
  );
}

/** The name tells the classes of one camera apart; other entities with a device class get their name from Home Assistant. */
function occupancyOf(objectType: string): Component {
  return {
    platform: "binary_sensor",
    name: `${objectType.slice(0, 1).toUpperCase()}${objectType.slice(1)}`,
    device_class: "occupancy",
    value_template: `{{ 'ON' if value_json.occupancy['${objectType}'] else 'OFF' }}`,
  };
}

/** Adds what removes the entities that the message before had and this one has not. */
export function withRemovals(config: DiscoveryConfig, before: PublishedConfig | undefined): DiscoveryConfig {
  const gone = Object.entries(before?.components ?? {}).filter(
    ([key, component]) => !(key in config.components) && "unique_id" in component,
  );
  const markers = gone.map(([key, { platform }]): [string, Component] => [key, { platform }]);
  return markers.length === 0 ? config : { ...config, components: { ...config.components, ...Object.fromEntries(markers) } };
}

/** A discovery message that the broker has kept, as far as homesec reads it. */
export interface PublishedConfig {
  readonly components: Readonly<Record<string, Component>>;
}

/**
 * Reads a discovery message that the broker has kept. Returns undefined unless this homesec made it: one that has the same origin and the
 * same prefix.
 */
export function readOwnConfig(payload: string, prefix: string): PublishedConfig | undefined {
  const config = parsed(payload);
  const { origin, components, availability } = config ?? {};
  if (!isObject(origin) || origin["name"] !== originName || !isObject(components)) return undefined;
  if (!topicsIn(availability).includes(topicsBelow(prefix).status)) return undefined;
  const known = Object.entries(components).flatMap(([key, component]) =>
    isObject(component) && typeof component["platform"] === "string" ? [[key, component as Component] as const] : [],
  );
  return { components: Object.fromEntries(known) };
}

const topicsIn = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list.map((each: unknown) => (isObject(each) ? each["topic"] : undefined)) : [];
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(payload: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(payload);
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
