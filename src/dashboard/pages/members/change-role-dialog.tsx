import { useMutation } from '@tanstack/react-query';
import type { ChangedRole, Member } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { RoleChoices } from './role-choices.tsx';
import { isRole } from './role-texts.ts';

type ChangeRoleDialogProps = {
  readonly member: Member;
  /** Called with what the member made, if the role allows less than the one before. */
  readonly onChanged: (made: ChangedRole) => void;
  readonly onClose: () => void;
};

/** Gives a member another role. */
export function ChangeRoleDialog({ member, onChanged, onClose }: ChangeRoleDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (body: Parameters<typeof account.changeRole>[1]) =>
      withFreshFactor(() => account.changeRole(member.member_id, body)),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`Role of ${member.name}`}
      description="It counts from the next request of the member on. If it allows less, what this member made is listed then."
      action="Change the role"
      call={change}
      operation={['Members', 'changeRole']}
      onSubmit={(form) => {
        const role = readForm(form, 'role');
        if (isRole(role)) change.mutate({ role });
      }}
      onClose={onClose}
    >
      <RoleChoices chosen={member.role} />
    </FormDialog>
  );
}
