import type { ComponentProps } from 'react';

type ButtonProps = ComponentProps<'button'> & {
  readonly type: 'button' | 'submit' | 'reset';
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** The action is under way: the button keeps its size and ignores clicks. */
  readonly isBusy?: boolean;
};

/** A button; one per form or page is `primary`. */
export function Button({ kind = 'plain', isBusy = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      className={`button button-${kind}`}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
    </button>
  );
}
