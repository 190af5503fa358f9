import { useState } from "react";
import { keyRoutes } from "../../../../src/contract/routes/keys.ts";
import { useAction } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyText } from "../../../parts/copy-text.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { SelectField } from "../../../parts/fields.tsx";
import { Section } from "../../../parts/page.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { bodyOf, someone, WhoFields } from "./who.tsx";

const validities = ["", "7", "30", "90", "365"] as const;

/** Creates a key for a program. It is shown once. */
export function NewKey() {
  const { keys } = useAdminTexts();
  const [who, setWho] = useState(someone);
  const [days, setDays] = useState<(typeof validities)[number]>("");
  const [made, setMade] = useState<{ readonly name: string; readonly key: string }>();
  const create = useAction(keyRoutes.createKey, [keyRoutes.listKeys]);
  const submit = async (): Promise<void> => {
    setMade(undefined);
    const { name, api_key } = await create.run({
      body: { ...bodyOf(who), ...(days !== "" && { expires_in_seconds: Number(days) * 86_400 }) },
    });
    setMade({ name, key: api_key });
    setWho(someone);
  };
  return (
    <Section title={keys.newKey}>
      <form
        className="grid gap-4 rounded-xl border border-line bg-card p-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          submit().catch(() => {});
        }}
      >
        <p className="text-sm text-soft">{keys.newKeyHint}</p>
        <WhoFields who={who} example={keys.programHint} onChange={setWho} />
        <SelectField
          label={keys.validity}
          value={days}
          options={validities.map((each) => [each, keys.days(Number(each))] as const)}
          onValue={setDays}
        />
        <Fault error={create.error} />
        <Button type="submit" look="main" isBusy={create.isRunning} className="min-h-11 justify-self-start">
          {keys.newKeySubmit}
        </Button>
        {made && (
          <div role="status" className="border-t border-line pt-4">
            <p className="font-medium">{keys.madeKey(made.name)}</p>
            <p className="text-sm text-soft">{keys.once}</p>
            <CopyText label={keys.key} text={made.key} />
          </div>
        )}
      </form>
    </Section>
  );
}
