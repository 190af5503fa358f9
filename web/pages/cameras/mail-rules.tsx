import { type FormEvent, useState } from "react";
import { type MailRuleField, mailRuleFields } from "../../../src/contract/constants.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import type { ReplyOf } from "../../../src/contract/routes/index.ts";
import { receiverRoutes } from "../../../src/contract/routes/receivers.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { everyCamera } from "../../parts/names.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useTexts } from "../../texts/texts.tsx";

type Login = ReplyOf<"listReceivers">["logins"][number];

/** The choice that refuses mails that no rule matches. */
const refused = "";

/** Which cameras get the mails of a recorder: rules, tried in their order. */
export function MailRules({ login }: { readonly login: Login }) {
  const { mailRules: texts } = useAdminTexts();
  const [isOpen, setOpen] = useState(false);
  const count = login.mail_rules.length;
  return (
    <details className="mt-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-11 py-2 text-accent">{count === 0 ? texts.none : texts.some(count)}</summary>
      {isOpen && <Form key={JSON.stringify([login.mail_rules, login.unmatched_camera_id])} login={login} />}
    </details>
  );
}

function Form({ login }: { readonly login: Login }) {
  const { common } = useTexts();
  const { mailRules: texts } = useAdminTexts();
  const attempt = useAttempt();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const set = useAction(receiverRoutes.setMailRules, [receiverRoutes.listReceivers]);
  const [rules, setRules] = useState<Login["mail_rules"]>(login.mail_rules);
  const [unmatched, setUnmatched] = useState(login.mail_rules.length === 0 ? login.camera_id : (login.unmatched_camera_id ?? refused));
  const names = (data?.cameras ?? []).map(({ camera_id, name }) => [camera_id, name] as const);
  const change = (at: number, changed: Partial<Login["mail_rules"][number]>): void =>
    setRules(rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule)));
  const save = async (submitted: FormEvent): Promise<void> => {
    submitted.preventDefault();
    const body = { rules, ...(rules.length > 0 && { unmatched_camera_id: unmatched === refused ? null : unmatched }) };
    await attempt(set.run({ params: { camera_id: login.camera_id }, body }), texts.saved);
  };
  return (
    <form className="grid gap-3" onSubmit={(submitted) => void save(submitted)}>
      <p className="text-soft">{texts.hint}</p>
      {rules.map((rule, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id, and their fields keep no state
        <fieldset key={at} className="grid gap-2 rounded-lg border border-line p-3 sm:grid-cols-3">
          <legend className="px-1 text-soft">{texts.rule(at + 1)}</legend>
          <SelectField<MailRuleField>
            label={texts.field}
            value={rule.field}
            options={mailRuleFields.map((field) => [field, texts.fields[field]] as const)}
            onValue={(field) => change(at, { field })}
          />
          <TextField
            label={texts.pattern}
            required
            maxLength={200}
            spellCheck={false}
            value={rule.pattern}
            onText={(pattern) => change(at, { pattern })}
          />
          <SelectField label={texts.camera} value={rule.camera_id} options={names} onValue={(camera_id) => change(at, { camera_id })} />
          <Button className="min-h-11 justify-self-start" onClick={() => setRules(rules.filter((_, index) => index !== at))}>
            {texts.remove(at + 1)}
          </Button>
        </fieldset>
      ))}
      {rules.length > 0 && (
        <SelectField
          label={texts.unmatched}
          value={unmatched}
          options={[...names, [refused, texts.refuse] as const]}
          onValue={setUnmatched}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          className="min-h-11"
          onClick={() => setRules([...rules, { field: "subject", pattern: "", camera_id: names[0]?.[0] ?? login.camera_id }])}
        >
          {texts.add}
        </Button>
        <Button type="submit" look="main" disabled={set.isRunning} className="min-h-11">
          {common.save}
        </Button>
      </div>
    </form>
  );
}
