import { Plus } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { ruleRoutes } from "../../src/contract/routes/rules.ts";
import { useMay } from "../api/use-may.tsx";
import { useAction, useReply } from "../api/use-reply.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Risk } from "../parts/risk.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useToast } from "../parts/toast.tsx";
import { useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import type { RuleRecord } from "./rules/draft.ts";
import { Templates } from "./rules/templates.tsx";
import { useRuleWords } from "./rules/words.ts";

/** The rules in words, each with the number of alerts that it would have raised lately. */
export default function RulesPage() {
  const more = useMoreTexts();
  const isOwner = useMay("owner");
  const rules = useReply(ruleRoutes.listRules, { query: { limit: 1000 } });
  return (
    <Page
      title={more.rules.title}
      actions={
        isOwner && (
          <Link
            href="/rules/new"
            className="inline-flex min-h-11 items-center gap-2 rounded-lg bg-accent px-4 text-sm font-medium text-on-accent hover:bg-accent-strong"
          >
            <Plus aria-hidden size={18} /> {more.rules.add}
          </Link>
        )
      }
    >
      <Loaded reply={rules}>
        {({ items }) =>
          items.length === 0 ? (
            <>
              <Empty title={more.rules.empty} hint={more.rules.emptyHint} />
              {isOwner && (
                <div className="mt-6">
                  <Templates />
                </div>
              )}
            </>
          ) : (
            <ul className="grid gap-3 lg:grid-cols-2">
              {items.map((rule) => (
                <li key={rule.id}>
                  <RuleCard rule={rule} isOwner={isOwner} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

/** A rule in words. Only an owner may change and try it; others read it. */
function RuleCard({ rule, isOwner }: { readonly rule: RuleRecord; readonly isOwner: boolean }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const toast = useToast();
  const update = useAction(ruleRoutes.updateRule, [ruleRoutes.listRules, ruleRoutes.getRule]);
  const toggle = (): void =>
    void update.run({ params: { id: rule.id }, body: { enabled: !rule.enabled } }).catch((error: unknown) => toast(texts.fault(error)));
  return (
    <article className={`h-full rounded-xl border border-line bg-card p-4 ${rule.enabled ? "" : "border-dashed"}`}>
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">
          {isOwner ? (
            <Link href={`/rules/${rule.id}`} className="inline-flex min-h-11 items-center underline-offset-4 hover:underline">
              {rule.name}
            </Link>
          ) : (
            rule.name
          )}
        </h2>
        {isOwner ? (
          <Button
            role="switch"
            aria-checked={rule.enabled}
            aria-label={rule.name}
            onClick={toggle}
            isBusy={update.isRunning}
            className="min-h-11"
          >
            {rule.enabled ? texts.common.on : texts.common.off}
          </Button>
        ) : (
          <span className="text-sm text-soft">{rule.enabled ? texts.common.on : texts.common.off}</span>
        )}
      </header>
      <Risk level={rule.severity} />
      <p className="mt-1">
        {more.rules.when}: {useRuleWords(rule).join(", ")}
      </p>
      {isOwner && (
        <>
          <Backtest rule={rule} />
          <Link
            href={`/rules/${rule.id}`}
            className="inline-flex min-h-11 items-center text-sm text-accent underline-offset-4 hover:underline"
          >
            {more.rules.edit} <span className="sr-only">{rule.name}</span>
          </Link>
        </>
      )}
    </article>
  );
}

const days = 30;

/** The number of alerts that the rule would have raised in the last month. */
function Backtest({ rule }: { readonly rule: RuleRecord }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const start = useMemo(() => new Date(Math.floor(Date.now() / 3_600_000 - days * 24) * 3_600_000), []);
  const backtest = useReply(ruleRoutes.backtestRule, {
    params: { id: rule.id },
    body: { start_date: start, timezone: format.zone, limit: 0, version: rule.version },
  });
  return (
    <p className="mt-2 min-h-6 text-sm text-soft">
      {backtest.data && more.rules.backtest(backtest.data.tested.alerts_after_cooldown, days)}
      {backtest.error && texts.fault(backtest.error)}
    </p>
  );
}
