import { useMutation } from '@tanstack/react-query';
import type { OperatedLimitRequest } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';

type RefuseDialogProps = {
  readonly request: OperatedLimitRequest;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Refuses a request for a higher limit, with a reason. */
export function RefuseDialog({ request, onDone, onClose }: RefuseDialogProps) {
  const withFreshFactor = useFreshCall();
  const refuse = useMutation({
    mutationFn: (reason: string) =>
      withFreshFactor(() => account.refuseLimitRequest(request.limit_request_id, { reason })),
    onSuccess: onDone,
  });
  return (
    <Dialog title={`Refuse the request of ${request.account}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          refuse.mutate(readForm(event.currentTarget, 'reason').trim());
        }}
      >
        <Field
          name="reason"
          label="Reason"
          hint="The account reads it, such as: ask again in May."
          maxLength={500}
          autoComplete="off"
          required
        />
        <ErrorNotice error={refuse.error} operation={['Operators', 'refuseLimitRequest']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="danger" isBusy={refuse.isPending}>
            Refuse the request
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
