/** One entity of a discovery message. */
export type Component = { readonly platform: string } & Readonly<Record<string, unknown>>;

/**
 * Rules written from the published schemas of Home Assistant's MQTT integration (`home-assistant/core`, `components/mqtt`: schemas, entity
 * and platform files), which is what decides whether an entity appears. Home Assistant drops unknown keys of an entity; here they are
 * faults, since they are mistakes.
 */
const common = [
  ...["platform", "unique_id", "default_entity_id", "name", "icon", "device_class", "entity_category", "availability", "availability_mode"],
  ...["json_attributes_topic", "json_attributes_template", "enabled_by_default", "qos", "encoding"],
];

interface PlatformRules {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Needs a state topic, its own or that of the device. */
  readonly state: boolean;
  readonly deviceClasses?: readonly string[];
}

const platforms: Readonly<Record<string, PlatformRules>> = {
  alarm_control_panel: {
    state: true,
    required: ["command_topic"],
    optional: [
      ...[
        "state_topic",
        "value_template",
        "supported_features",
        "code",
        "code_arm_required",
        "code_disarm_required",
        "code_trigger_required",
      ],
      ...["payload_arm_home", "payload_arm_away", "payload_arm_night", "payload_disarm", "retain"],
    ],
  },
  binary_sensor: {
    state: true,
    required: [],
    optional: ["state_topic", "value_template", "payload_on", "payload_off", "off_delay", "expire_after", "force_update"],
    deviceClasses: ["occupancy", "problem", "motion", "connectivity"],
  },
  button: { state: false, required: ["command_topic"], optional: ["payload_press", "retain"] },
  event: {
    state: true,
    required: ["event_types", "state_topic"],
    optional: ["value_template"],
    deviceClasses: ["motion", "doorbell", "button"],
  },
  image: { state: false, required: ["image_topic"], optional: ["content_type", "image_encoding"] },
  select: {
    state: true,
    required: ["command_topic", "options"],
    optional: ["state_topic", "value_template", "command_template", "retain"],
  },
  sensor: {
    state: true,
    required: [],
    optional: ["state_topic", "value_template", "state_class", "unit_of_measurement", "suggested_display_precision", "expire_after"],
    deviceClasses: ["timestamp", "enum", "duration"],
  },
  switch: {
    state: true,
    required: ["command_topic"],
    optional: ["state_topic", "value_template", "payload_on", "payload_off", "state_on", "state_off", "optimistic", "retain"],
  },
  update: { state: true, required: [], optional: ["state_topic", "value_template", "title", "release_url", "latest_version_topic"] },
};

const deviceKeys = [
  ...["identifiers", "connections", "manufacturer", "model", "model_id", "name", "hw_version", "serial_number", "sw_version"],
  ...["via_device", "suggested_area", "configuration_url"],
];
const rootKeys = ["device", "origin", "components", "availability", "availability_mode", "state_topic", "command_topic", "qos", "encoding"];

/** Names that Home Assistant cannot make from the device class: several of one class on a device, and one that says nothing. */
const namedWithClass = ["binary_sensor occupancy", "sensor timestamp"];

/** Returns what Home Assistant would refuse in a discovery message, or would show wrongly. */
export function discoveryFaults(topic: string, config: Readonly<Record<string, unknown>>): readonly string[] {
  const { device, origin, components } = config as {
    device?: Readonly<Record<string, unknown>>;
    origin?: Readonly<Record<string, unknown>>;
    components?: Readonly<Record<string, Component>>;
  };
  const faults = unknownKeys("the message", config, rootKeys);
  if (!/^homeassistant\/device\/[a-zA-Z0-9_-]+\/config$/.test(topic)) faults.push("the topic is no discovery topic of a device");
  if (!Array.isArray(device?.["identifiers"]) || device["identifiers"].length === 0) faults.push("the device has no identifier");
  faults.push(
    ...unknownKeys("device", device ?? {}, deviceKeys),
    ...unknownKeys("origin", origin ?? {}, ["name", "sw_version", "support_url"]),
  );
  for (const url of [device?.["configuration_url"], origin?.["support_url"]])
    if (url !== undefined && !isUrl(url)) faults.push(`${String(url)} is no address`);
  if (typeof origin?.["name"] !== "string") faults.push("origin has no name");
  faults.push(...availabilityFaults(config));
  if (!components || Object.keys(components).length === 0) return [...faults, "no components"];
  const ids = Object.values(components).flatMap((component) => component["unique_id"] ?? []);
  if (new Set(ids).size !== ids.length) faults.push("two components have one unique_id");
  for (const [key, component] of Object.entries(components))
    faults.push(...componentFaults(component, config).map((fault) => `${key}: ${fault}`));
  return faults;
}

function componentFaults(component: Component, root: Readonly<Record<string, unknown>>): readonly string[] {
  const { platform } = component;
  const rules = platforms[platform];
  if (!rules) return [`no platform ${platform}`];
  if (Object.keys(component).length === 1) return [];
  const faults = unknownKeys(platform, component, [...common, ...rules.required, ...rules.optional]);
  for (const key of rules.required) if (component[key] === undefined) faults.push(`${key} is missing`);
  if (rules.state && (component["state_topic"] ?? root["state_topic"]) === undefined) faults.push("state_topic is missing");
  if (typeof component["unique_id"] !== "string") faults.push("unique_id is missing");
  if (!new RegExp(`^${platform}\\.[a-z0-9_]+$`).test(String(component["default_entity_id"])))
    faults.push("default_entity_id is no entity id of its platform");
  const deviceClass = component["device_class"];
  if (deviceClass !== undefined && !rules.deviceClasses?.includes(String(deviceClass)))
    faults.push(`device_class ${String(deviceClass)} is unknown`);
  if (deviceClass === undefined && component["name"] === undefined) faults.push("it has neither a name nor a device_class");
  if (deviceClass !== undefined && component["name"] !== undefined && !namedWithClass.includes(`${platform} ${String(deviceClass)}`))
    faults.push("name beside device_class");
  if (platform === "event" && component["entity_category"] !== undefined) faults.push("an event may have no entity_category");
  if (!["diagnostic", "config", undefined].includes(component["entity_category"] as string | undefined))
    faults.push("entity_category is unknown");
  if (platform === "event" && (component["event_types"] as readonly unknown[]).length === 0) faults.push("event_types is empty");
  for (const [key, value] of Object.entries(component))
    if (key.endsWith("_topic") && !isTopic(value)) faults.push(`${key} is no topic: ${String(value)}`);
  return [...faults, ...availabilityFaults(component)];
}

function availabilityFaults({ availability, availability_mode: mode }: Readonly<Record<string, unknown>>): readonly string[] {
  const list = availability as readonly Readonly<Record<string, unknown>>[] | undefined;
  const faults = (list ?? []).filter(({ topic }) => !isTopic(topic)).map(({ topic }) => `no topic of availability: ${String(topic)}`);
  if (!["all", "any", "latest", undefined].includes(mode as string | undefined)) faults.push("availability_mode is unknown");
  return faults;
}

function unknownKeys(what: string, value: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  return Object.keys(value).flatMap((key) => (known.includes(key) ? [] : [`${what} has an unknown key ${key}`]));
}

function isTopic(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !/[#+\0]/.test(value) && Buffer.byteLength(value) <= 65_535;
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && ["http:", "https:", "homeassistant:"].includes(new URL(value).protocol);
}
