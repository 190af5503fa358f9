import { createHash } from "node:crypto";

/** The topics of one homesec, below its prefix. */
export interface Topics {
  /** `online`, or `offline` by the will. */
  readonly status: string;
  readonly state: string;
  readonly alert: string;
  readonly result: string;
  readonly modeSet: string;
  readonly acknowledge: string;
  readonly dismiss: string;
  readonly silence: string;
  readonly silenceEnd: string;
  readonly camera: (cameraId: string) => CameraTopics;
  /** Filters of all commands. */
  readonly commands: readonly string[];
}

/** The topics of a camera. */
export interface CameraTopics {
  readonly availability: string;
  readonly state: string;
  readonly picture: string;
  /** Takes pictures for the camera. */
  readonly pictureSet: string;
  readonly event: string;
  readonly alertsSet: string;
}

/** Returns the topics below a prefix. */
export function topicsBelow(prefix: string): Topics {
  const camera = (cameraId: string): CameraTopics => {
    const base = `${prefix}/camera/${cameraId}`;
    return {
      availability: `${base}/availability`,
      state: `${base}/state`,
      picture: `${base}/picture`,
      pictureSet: `${base}/picture/set`,
      event: `${base}/event`,
      alertsSet: `${base}/alerts/set`,
    };
  };
  const commands = {
    modeSet: `${prefix}/mode/set`,
    acknowledge: `${prefix}/alert/acknowledge`,
    dismiss: `${prefix}/alert/dismiss`,
    silence: `${prefix}/silence/set`,
    silenceEnd: `${prefix}/silence/end`,
  };
  return {
    status: `${prefix}/status`,
    state: `${prefix}/state`,
    alert: `${prefix}/alert`,
    result: `${prefix}/result`,
    ...commands,
    camera,
    commands: [...Object.values(commands), camera("+").alertsSet],
  };
}

/** Returns the camera whose pictures a topic takes; undefined for another topic. */
export function cameraOfPictures(topic: string, prefix: string): string | undefined {
  const base = `${prefix}/camera/`;
  return topic.startsWith(base) ? /^([^/]+)\/picture\/set$/.exec(topic.slice(base.length))?.[1] : undefined;
}

/** Returns the id of the house's device in Home Assistant. The ids of the cameras start with it. */
export function nodeId(prefix: string): string {
  return prefix.replaceAll("/", "_");
}

/**
 * Returns the client id of a daemon at the broker. It stays the same after a restart, and differs between daemons: two of one machine have
 * different data folders or ports. Brokers must accept 23 letters and digits; most accept the dash too.
 */
export function clientIdOf(daemon: { readonly host: string; readonly dataDir: string; readonly port: number }): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([daemon.host, daemon.dataDir, daemon.port]))
    .digest("hex");
  return `homesec-${hash.slice(0, 12)}`;
}

/** Returns the client id that receives pictures. The daemons of a home share it: the broker keeps the pictures for whichever is connected next. */
export function pictureClientId(prefix: string): string {
  return `homesec-in-${createHash("sha256").update(prefix).digest("hex").slice(0, 12)}`;
}
