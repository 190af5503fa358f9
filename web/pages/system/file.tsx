import { useState } from "react";
import { useSearchParams } from "wouter";
import { explainRoutes } from "../../../src/contract/routes/explain.ts";
import { useReply } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Steps } from "../event/explanation.tsx";

/** Says what became of a file on the machine of homesec, or why homesec does not know it. The path stands in the address. */
export function FileQuestion() {
  const { system, cameras } = useAdminTexts();
  const [address, setAddress] = useSearchParams();
  const asked = address.get("path") ?? "";
  const [path, setPath] = useState(asked);
  return (
    <Section title={system.file}>
      <form
        className="grid gap-3 sm:grid-cols-[1fr_auto] sm:items-end"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          setAddress({ path: path.trim() }, { replace: true });
        }}
      >
        <TextField label={system.filePath} required maxLength={4096} spellCheck={false} placeholder="/" value={path} onText={setPath} />
        <Button type="submit" look="main" className="min-h-11">
          {cameras.explain}
        </Button>
      </form>
      {asked !== "" && <Answer key={asked} path={asked} />}
    </Section>
  );
}

function Answer({ path }: { readonly path: string }) {
  const texts = useTexts();
  const explanation = useReply(explainRoutes.explainPath, { query: { path } });
  return (
    <div role="status" className="mt-3 rounded-xl border border-line bg-card p-4">
      {explanation.error && !explanation.data ? (
        <p className="text-critical">{texts.fault(explanation.error)}</p>
      ) : (
        <Loaded reply={explanation}>{(data) => <Steps {...data} />}</Loaded>
      )}
    </div>
  );
}
