import type { ButtonHTMLAttributes } from "react";

const looks = {
  main: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-line bg-card hover:bg-raised",
  quiet: "hover:bg-raised",
  danger: "border border-critical text-critical hover:bg-raised",
} as const;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof looks;
  /** It does nothing for now, but keeps the focus, which a disabled button loses. */
  readonly isBusy?: boolean;
}

/** A button that is large enough for a thumb. */
export function Button({ look = "plain", className = "", type = "button", isBusy = false, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={`inline-flex min-h-10 items-center justify-center gap-2 rounded-lg px-4 py-2 text-sm font-medium disabled:opacity-50 aria-disabled:opacity-50 ${looks[look]} ${className}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (clicked) => clicked.preventDefault() : onClick}
      {...rest}
    />
  );
}
