import { useState } from "react";
import { modeRoutes } from "../../../../src/contract/routes/modes.ts";
import { useAction } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { Fault } from "../../../parts/fault.tsx";
import { TextField } from "../../../parts/fields.tsx";
import { Section } from "../../../parts/page.tsx";
import { useToast } from "../../../parts/toast.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";

/** Creates a custom mode; its delays are set in the list. */
export function NewMode() {
  const { modes } = useAdminTexts();
  const toast = useToast();
  const [name, setName] = useState("");
  const create = useAction(modeRoutes.createMode, [modeRoutes.listModes]);
  const submit = async (): Promise<void> => {
    const made = await create.run({ body: { name: name.trim().toLowerCase() } });
    toast(modes.created(made.name));
    setName("");
  };
  return (
    <Section title={modes.add}>
      <form
        className="grid gap-4 rounded-xl border border-line bg-card p-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          submit().catch(() => {});
        }}
      >
        <TextField label={modes.name} hint={modes.nameHint} value={name} maxLength={32} autoCapitalize="none" onText={setName} />
        <Fault error={create.error} />
        <Button type="submit" isBusy={create.isRunning} className="min-h-11 justify-self-start">
          {modes.create}
        </Button>
      </form>
    </Section>
  );
}
