import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice, type ErrorNoticeProps } from './error-notice.tsx';

export type FormDialogProps = {
  readonly title: string;
  readonly description?: string;
  /** Text of the button that sends the form. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** The call that the form makes. */
  readonly call: { readonly error: unknown; readonly isPending: boolean };
  readonly operation: NonNullable<ErrorNoticeProps['operation']>;
  /** Buttons before the two that every form has. */
  readonly moreActions?: ReactNode;
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly onClose: () => void;
  /** The fields. */
  readonly children: ReactNode;
};

/** A dialog with a form for one call: its fields, the error of the call, and the buttons to cancel or send. */
export function FormDialog({ title, description, onClose, children, ...form }: FormDialogProps) {
  const { action, kind = 'primary', call, operation, moreActions, onSubmit } = form;
  return (
    <Dialog title={title} {...(description !== undefined && { description })} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(event.currentTarget);
        }}
      >
        {children}
        <ErrorNotice error={call.error} operation={operation} />
        <div className="actions">
          {moreActions}
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind={kind} isBusy={call.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
