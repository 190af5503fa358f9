import { alertStatuses } from "../../src/contract/constants.ts";
import type { Command } from "../command.ts";
import { listCommand, recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, idOf } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { activeSilences, noteSilences } from "../silence/active.ts";
import { acknowledgeAlerts, dismissAlerts } from "./close.ts";
import { alertFilterOptions } from "./filter.ts";
import { tailAlerts } from "./tail.ts";
import { alertView } from "./view.ts";

const exampleId = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11";
const alertArgument = { alert_id: idOf("alert", textArgument("Alert id, or its start")) };

const listAlerts = listCommand({
  name: "alerts list",
  summary: "List alerts, newest first",
  options: {
    status: choice(alertStatuses, "Only alerts with this status"),
    ...alertFilterOptions,
  },
  examples: [
    { command: "homesec alerts list --status delivered", note: "open alerts" },
    { command: "homesec alerts list --status pending", note: "unsent alerts; `homesec alerts show` says why" },
    { command: "homesec alerts list --since yesterday --severity critical -o json", note: "as JSON" },
  ],
  view: alertView,
  page: (io, { options }, page) => io.call("listAlerts", { query: { ...options, ...page } }),
  rows: (body) => body.items,
  async after(io, { options: { camera_id, rule_id } }, count) {
    if (count === 0) await noteUnknownCameras(io, camera_id === undefined ? [] : [camera_id]);
    const mutes = (id: string | null, wanted: string | undefined): boolean => id === null || wanted === undefined || id === wanted;
    noteSilences(io, await activeSilences(io, (silence) => mutes(silence.camera_id, camera_id) && mutes(silence.rule_id, rule_id)));
  },
});

const showAlert = recordCommand({
  name: "alerts show",
  summary: "Show one alert and its delivery per channel",
  arguments: alertArgument,
  examples: [
    { command: `homesec alerts show ${exampleId}`, note: "why it was raised and where it was sent" },
    { command: `homesec alerts show ${exampleId} -o yaml`, note: "the API record as YAML" },
  ],
  view: alertView,
  record: (io, input) => io.call("getAlert", { params: { id: input.arguments.alert_id } }),
});

export const commands: readonly Command[] = [listAlerts, showAlert, tailAlerts, acknowledgeAlerts, dismissAlerts];
