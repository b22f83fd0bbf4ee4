import { useMutation } from '@tanstack/react-query';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

type ConfirmDialogProps = {
  readonly title: string;
  /** The consequences, and a warning if they cannot be undone. */
  readonly description: string;
  /** The verb on the button. */
  readonly verb: string;
  readonly act: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Asks for confirmation of a destructive action, carries it out, and shows its error. */
export function ConfirmDialog({ title, description, verb, act, onDone, onClose }: ConfirmDialogProps) {
  const action = useMutation({ mutationFn: act, onSuccess: onDone });
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      <ErrorNotice error={action.error} />
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <Button type="button" kind="danger" isBusy={action.isPending} onClick={() => action.mutate()}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
