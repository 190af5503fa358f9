import { dayMs } from "../../../base/clock/clock.ts";
import { pluralize, shellWord } from "../../../base/text/format.ts";
import { type Reach, reachTarget } from "../../../platform/outbound/reach.ts";
import { type Check, finding, NotPossible, type Outcome, ok, parts, skipped } from "../check.ts";
import { type WebhookRecord, webhookRecords } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { resolveWithGetent } from "../names.ts";
import { listed } from "../wording.ts";

const connectTimeoutMs = 5_000;
const minDeliveries = 2;
const maxTargets = 50;

const targets: Check = {
  id: "webhook-targets",
  replaces: ["default-webhook"],
  group: "notifications",
  title: "Targets of webhooks",
  severity: "error",
  finds: "The target of an enabled webhook or of DEFAULT_WEBHOOK_URL cannot be reached, its TLS fails, or homesec may not call it",
  run: parts(defaultTarget, webhookTargets),
};

async function defaultTarget(examination: Examination): Promise<Outcome> {
  const { defaultWebhookUrl } = examination.config();
  if (defaultWebhookUrl === undefined) throw new NotPossible("DEFAULT_WEBHOOK_URL is not set");
  const reach = await reachOf(examination, defaultWebhookUrl);
  if (reach.kind === "reached") return ok(reach.shown);
  return finding(
    `DEFAULT_WEBHOOK_URL: ${faultText(reach)}`,
    reach.kind === "refused"
      ? "Correct DEFAULT_WEBHOOK_URL, or OUTBOUND_ALLOW"
      : "Start the target, or correct DEFAULT_WEBHOOK_URL; then: homesec notifications test webhook",
  );
}

async function webhookTargets(examination: Examination): Promise<Outcome> {
  const enabled = (await recordsOf(examination)).filter((webhook) => webhook.enabled).slice(0, maxTargets);
  if (enabled.length === 0) return skipped("no webhook is enabled");
  const reached = await Promise.all(enabled.map(async ({ name, url }) => ({ name, reach: await reachOf(examination, url) })));
  const bad = reached.flatMap(({ name, reach }) => (reach.kind === "reached" ? [] : [{ name, reach }]));
  if (bad.length === 0) return ok(pluralize(enabled.length, "target"));
  return finding(
    listed(bad.map(({ name, reach }) => `"${name}": ${faultText(reach)}`)),
    listed(
      bad.map(({ name, reach }) => {
        const update = `homesec webhooks update ${shellWord(name)} --url ADDRESS`;
        if (reach.kind === "refused") return `${update}, or OUTBOUND_ALLOW`;
        return `Start the target, then homesec webhooks test ${shellWord(name)}; or ${update}`;
      }),
    ),
  );
}

function faultText({ kind, error }: Exclude<Reach, { readonly kind: "reached" }>): string {
  return kind === "refused" ? `homesec sends nothing there: ${error}` : error;
}

const deliveries: Check = {
  id: "webhook-deliveries",
  group: "notifications",
  title: "Deliveries to webhooks",
  severity: "error",
  finds: "Within the last day at least half of the deliveries to a webhook failed, or homesec disabled it",
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

/** Connects to the target without sending a message. */
function reachOf({ machine, config }: Examination, url: string): Promise<Reach> {
  return reachTarget(url, { allow: config().outboundAllow, timeoutMs: connectTimeoutMs, resolve: resolveWithGetent(machine) });
}

async function recordsOf(examination: Examination): Promise<readonly WebhookRecord[]> {
  const since = new Date(examination.clock.now().getTime() - dayMs);
  return await (await examination.rows()).query((sql) => webhookRecords(sql, since));
}

export const webhookChecks: readonly Check[] = [targets, deliveries];
