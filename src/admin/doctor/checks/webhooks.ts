import { dayMs } from "../../../base/clock/clock.ts";
import { pluralize, shellWord } from "../../../base/text/format.ts";
import { type Reach, reachTarget } from "../../../platform/outbound/reach.ts";
import { type Check, finding, NotPossible, type Outcome, ok, parts, skipped } from "../check.ts";
import { type WebhookRecord, webhookRecords } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { resolveWithGetent } from "../names.ts";
import { listed } from "../wording.ts";

const connectTimeoutMs = 5_000;
/** Automatic renewal happens a month before the expiry, so this late it has failed. */
const warnDays = 7;
const minDeliveries = 2;
const maxTargets = 50;

const targets: Check = {
  id: "webhook-targets",
  replaces: ["default-webhook"],
  group: "notifications",
  title: "Targets of webhooks",
  severity: "error",
  finds: "The target of an enabled webhook or of DEFAULT_WEBHOOK_URL cannot be reached, its TLS fails, or homesec may not call it",
  fix: "Start the target; homesec webhooks update, DEFAULT_WEBHOOK_URL or OUTBOUND_ALLOW",
  run: (examination) =>
    parts(
      () => defaultTarget(examination),
      () => webhookTargets(examination),
    ),
};

async function defaultTarget(examination: Examination): Promise<Outcome> {
  const { defaultWebhookUrl } = examination.config();
  if (defaultWebhookUrl === undefined) throw new NotPossible("DEFAULT_WEBHOOK_URL is not set");
  const reach = await reachOf(examination, defaultWebhookUrl);
  const fault = faultOf(examination, reach);
  if (fault === undefined) return ok(reach.kind === "reached" ? reach.shown : "");
  return finding(
    `DEFAULT_WEBHOOK_URL: ${fault.text}`,
    fault.isForbidden
      ? "Correct DEFAULT_WEBHOOK_URL, or OUTBOUND_ALLOW"
      : "Start the target, or correct DEFAULT_WEBHOOK_URL; then: homesec notifications test webhook",
    fault.severity,
  );
}

async function webhookTargets(examination: Examination): Promise<Outcome> {
  const enabled = (await recordsOf(examination)).filter((webhook) => webhook.enabled).slice(0, maxTargets);
  if (enabled.length === 0) return skipped("no webhook is enabled");
  const reached = await Promise.all(
    enabled.map(async ({ name, url }) => ({ name, fault: faultOf(examination, await reachOf(examination, url)) })),
  );
  const bad = reached.flatMap(({ name, fault }) => (fault ? [{ name, fault }] : []));
  if (bad.length === 0) return ok(pluralize(enabled.length, "target"));
  return finding(
    listed(
      bad.map(({ name, fault }) => `"${name}": ${fault.text}`),
      3,
    ),
    listed(
      bad.map(({ name, fault }) => {
        const update = `homesec webhooks update ${shellWord(name)} --url ADDRESS`;
        return fault.isForbidden
          ? `${update}, or OUTBOUND_ALLOW`
          : `Start the target, then homesec webhooks test ${shellWord(name)}; or ${update}`;
      }),
      3,
    ),
    bad.every(({ fault }) => fault.severity === "warning") ? "warning" : "error",
  );
}

const deliveries: Check = {
  id: "webhook-deliveries",
  group: "notifications",
  title: "Deliveries to webhooks",
  severity: "error",
  finds: "Within the last day at least half of the deliveries to a webhook failed, or homesec disabled it",
  fix: "Fix the target, then homesec webhooks enable",
  async run(examination) {
    const webhooks = await recordsOf(examination);
    if (webhooks.length === 0) return skipped("there is no webhook");
    const off = webhooks.filter(({ enabled, disabledReason }) => !enabled && disabledReason !== null);
    const failing = webhooks.filter(
      ({ enabled, succeeded, failed }) => enabled && succeeded + failed >= minDeliveries && failed >= succeeded,
    );
    if (off.length + failing.length === 0) return ok(pluralize(webhooks.length, "webhook"));
    return finding(
      listed([
        ...off.map(({ name, disabledReason }) => `homesec disabled "${name}": ${disabledReason}`),
        ...failing.map(
          ({ name, succeeded, failed, lastError }) =>
            `"${name}": ${failed} of ${succeeded + failed} deliveries failed${lastError ? `, last with: ${lastError}` : ""}`,
        ),
      ]),
      listed([
        ...off.map(({ name }) => `Fix the target, then homesec webhooks enable ${shellWord(name)}`),
        ...failing.map(({ name }) => `homesec webhooks deliveries ${shellWord(name)} shows its answers`),
      ]),
    );
  },
};

interface Fault {
  readonly text: string;
  /** OUTBOUND_ALLOW or a built-in rule forbids the call. */
  readonly isForbidden: boolean;
  readonly severity: "warning" | "error";
}

function faultOf({ clock }: Examination, reach: Reach): Fault | undefined {
  if (reach.kind === "refused") return { text: `homesec sends nothing there: ${reach.error}`, isForbidden: true, severity: "error" };
  if (reach.kind === "unreachable") return { text: reach.error, isForbidden: false, severity: "error" };
  const days = reach.validTo === undefined ? Number.POSITIVE_INFINITY : (reach.validTo.getTime() - clock.now().getTime()) / dayMs;
  if (days >= warnDays) return undefined;
  return { text: `the certificate of ${reach.shown} expires in ${Math.floor(days)} days`, isForbidden: false, severity: "warning" };
}

/** Connects to the target without sending a message. */
function reachOf({ machine, config }: Examination, url: string): Promise<Reach> {
  return reachTarget(url, { allow: config().outboundAllow, timeoutMs: connectTimeoutMs, resolve: resolveWithGetent(machine) });
}

async function recordsOf(examination: Examination): Promise<readonly WebhookRecord[]> {
  const since = new Date(examination.clock.now().getTime() - dayMs);
  return await (await examination.rows()).query((sql) => webhookRecords(sql, since));
}

export const webhookChecks: readonly Check[] = [targets, deliveries];
