import { useRef, useState } from "react";
import { Problem } from "../../src/contract/problem.ts";
import { keyRoutes } from "../../src/contract/routes/keys.ts";
import { call } from "../api/client.ts";
import { rememberRole } from "../api/use-may.tsx";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Asks for an API key and goes on to the page that was asked for. */
export default function LoginPage() {
  const texts = useTexts();
  const [key, setKey] = useState("");
  const [fault, setFault] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const submit = async (): Promise<void> => {
    try {
      // Pictures are requested by their address alone: a cookie comes with that, and a key would not.
      const session = await call(keyRoutes.signInWithKey, {}, undefined, key.trim());
      rememberRole(session.role);
      location.replace(target());
    } catch (error) {
      setFault(error instanceof Problem && error.kind === "unauthorized" ? texts.login.wrong : texts.fault(error));
      field.current?.select();
    }
  };
  return (
    <main className="mx-auto grid min-h-dvh max-w-sm content-center gap-4 p-6">
      <img src="/icon.svg" alt="homesec" width={64} height={64} className="mx-auto" />
      <Page title={texts.login.title}>
        <p className="text-soft">{texts.login.hint}</p>
        <form
          className="grid gap-3"
          onSubmit={(submitted) => {
            submitted.preventDefault();
            void submit();
          }}
        >
          <label className="text-sm">
            {texts.login.key}
            <input
              ref={field}
              type="password"
              aria-invalid={fault !== "" || undefined}
              aria-describedby="fault"
              autoComplete="current-password"
              required
              value={key}
              onChange={({ target }) => setKey(target.value)}
              className="min-h-11 w-full rounded-lg border border-line bg-card px-3"
            />
          </label>
          <p id="fault" role="alert" className="min-h-6 text-critical">
            {fault}
          </p>
          <Button type="submit" look="main">
            {texts.login.submit}
          </Button>
        </form>
      </Page>
    </main>
  );
}

/** The page to go to: only a path of this site. */
function target(): string {
  const to = new URLSearchParams(location.search).get("to") ?? "/";
  return to.startsWith("/") && !to.startsWith("//") && !to.includes("\\") ? to : "/";
}
