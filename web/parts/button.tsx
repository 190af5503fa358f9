import type { ButtonHTMLAttributes } from "react";

const looks = {
  main: "bg-accent text-on-accent hover:opacity-90",
  plain: "border border-line bg-card hover:bg-raised",
  quiet: "hover:bg-raised",
  danger: "border border-critical text-critical hover:bg-raised",
} as const;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof looks;
}

/** A button that is large enough for a thumb. */
export function Button({ look = "plain", className = "", type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={`inline-flex min-h-10 items-center justify-center gap-2 rounded-lg px-4 py-2 text-sm font-medium disabled:opacity-50 ${looks[look]} ${className}`}
      {...rest}
    />
  );
}
