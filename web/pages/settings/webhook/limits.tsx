import { useState } from "react";
import { severities } from "../../../../src/contract/constants.ts";
import { ruleRoutes } from "../../../../src/contract/routes/rules.ts";
import { useReply } from "../../../api/use-reply.ts";
import { CheckField } from "../../../parts/fields.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useTexts } from "../../../texts/texts.tsx";
import type { WebhookDraft } from "./draft.ts";

interface LimitsProps {
  readonly draft: WebhookDraft;
  readonly change: (part: Partial<WebhookDraft>) => void;
}

/** Which alerts the webhook gets: of all rules and severities if none is ticked. */
export function Limits({ draft, change }: LimitsProps) {
  const texts = useTexts();
  const { webhooks } = useAdminTexts();
  // What is ticked later must not fold it
  const [hasLimits] = useState(draft.severities.length + draft.rules.length > 0);
  const { data } = useReply(ruleRoutes.listRules, { query: { limit: 1000 } });
  const toggled = <T,>(list: readonly T[], value: T, isOn: boolean): T[] => [
    ...list.filter((each) => each !== value),
    ...(isOn ? [value] : []),
  ];
  return (
    <details className="rounded-lg border border-line p-3" open={hasLimits}>
      <summary className="min-h-8 font-medium">{webhooks.limits}</summary>
      <p className="text-sm text-soft">{webhooks.limitsHint}</p>
      <fieldset className="mt-3">
        <legend className="text-sm font-medium">{webhooks.onlySeverities}</legend>
        <div className="grid sm:grid-cols-4">
          {severities.map((severity) => (
            <CheckField
              key={severity}
              label={texts.event.risk[severity]}
              checked={draft.severities.includes(severity)}
              onChecked={(isOn) => change({ severities: toggled(draft.severities, severity, isOn) })}
            />
          ))}
        </div>
      </fieldset>
      <fieldset className="mt-3">
        <legend className="text-sm font-medium">{webhooks.onlyRules}</legend>
        <div className="grid sm:grid-cols-2">
          {(data?.items ?? []).map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={draft.rules.includes(id)}
              onChecked={(isOn) => change({ rules: toggled(draft.rules, id, isOn) })}
            />
          ))}
        </div>
      </fieldset>
    </details>
  );
}
