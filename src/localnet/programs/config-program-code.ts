/**
 * The config program: its one instruction, `Store`, writes a list of keys and the configuration behind it to an account.
 *
 * The list is its length (a short_vec: seven bits a byte), then 33 bytes a key: the key and a flag, 1 for a key that has to sign. The rules,
 * in the order in which the first that is broken gives the error, are those of the program of the clusters (SIMD-0140).
 */
export const CONFIG_PROGRAM_CODE = `
; What the loader passes in r1: the number of accounts, the accounts, the length of the instruction, the instruction, the program's address.
; An account begins with 255 and has the fields below; one that came before is the number of that one, in 8 bytes.
.equ IS_SIGNER, 1
.equ IS_WRITABLE, 2
.equ KEY, 8
.equ OWNER, 40
.equ DATA_LENGTH, 80
.equ DATA, 88
.equ FIRST, 255

; An entry of a list of keys.
.equ FLAG, 32
.equ ENTRY, 33
; As many as fit into a transaction of 1,232 bytes.
.equ MOST_KEYS, 37

; The stack, below r10.
.equ ACCOUNT_COUNT, 8
.equ STORE_LENGTH, 16
.equ STORED, 24
.equ STORED_END, 32
.equ STORED_SIGNERS, 40
.equ NEW, 48
.equ NEW_END, 56
; The address of each account: 255 at most.
.equ ACCOUNTS, 2104

; Errors, each in the upper half of the result.
.equ CUSTOM_0, 1
.equ INVALID_ARGUMENT, 2
.equ INVALID_INSTRUCTION_DATA, 3
.equ INVALID_ACCOUNT_DATA, 4
.equ MISSING_REQUIRED_SIGNATURE, 8
.equ NOT_ENOUGH_ACCOUNT_KEYS, 11
.equ INVALID_ACCOUNT_OWNER, 23

; Finds the accounts and the instruction.
  ldxdw r2, [r1+0]
  stxdw [r10-ACCOUNT_COUNT], r2
  add64 r1, 8
  mov64 r3, r10
  sub64 r3, ACCOUNTS
next_account:
  jeq r2, 0, accounts_found
  ldxb r4, [r1+0]
  jne r4, FIRST, came_before
  mov64 r4, r1
  ldxdw r5, [r1+DATA_LENGTH]
  add64 r1, r5
  add64 r1, 95              ; DATA, and up to 8 bytes
  and64 r1, -8
  add64 r1, 10248           ; room in which the data may grow, then the rent epoch
  ja keep_account
came_before:
  lsh64 r4, 3
  add64 r4, r10
  ldxdw r4, [r4-ACCOUNTS]
  add64 r1, 8
keep_account:
  stxdw [r3+0], r4
  add64 r3, 8
  sub64 r2, 1
  ja next_account
accounts_found:
  ldxdw r8, [r1+0]
  stxdw [r10-STORE_LENGTH], r8
  mov64 r7, r1
  add64 r7, 8               ; r7: the instruction, r8: its length

; The list of the instruction is whole. From here on r9 is the error if a rule does not hold.
  mov64 r9, INVALID_INSTRUCTION_DATA
  jeq r8, 0, fail
  ldxb r2, [r7+0]
  jgt r2, MOST_KEYS, fail
  mov64 r1, r7
  add64 r1, 1
  mov64 r3, r8
  sub64 r3, 1
  stxdw [r10-NEW], r1
  call read_list
  jeq r0, -1, fail
  stxdw [r10-NEW_END], r2

; The first account is one of the program.
  mov64 r9, NOT_ENOUGH_ACCOUNT_KEYS
  ldxdw r1, [r10-ACCOUNT_COUNT]
  jeq r1, 0, fail
  mov64 r9, INVALID_ACCOUNT_OWNER
  ldxdw r6, [r10-ACCOUNTS]  ; r6: the first account
  mov64 r1, r6
  add64 r1, OWNER
  mov64 r2, r7
  add64 r2, r8
  call is_same_key
  jeq r0, 0, fail

; Its list is whole; new accounts have an empty one.
  mov64 r9, INVALID_ACCOUNT_DATA
  mov64 r1, r6
  add64 r1, DATA
  ldxdw r3, [r6+DATA_LENGTH]
  mov64 r2, 0
  mov64 r4, 0
next_digit:                 ; of the length in r2, r4 bits after the first
  jeq r3, 0, fail
  jgt r4, 14, fail
  ldxb r5, [r1+0]
  jne r5, 0, add_digit
  jne r4, 0, fail           ; a shorter form of this length exists
add_digit:
  mov64 r7, r5
  and64 r7, 127
  lsh64 r7, r4
  or64 r2, r7
  add64 r4, 7
  add64 r1, 1
  sub64 r3, 1
  jge r5, 128, next_digit
  jgt r2, 65535, fail
  stxdw [r10-STORED], r1
  call read_list
  jeq r0, -1, fail
  stxdw [r10-STORED_END], r2
  stxdw [r10-STORED_SIGNERS], r0

; Without a stored signer the account itself has to sign.
  mov64 r9, MISSING_REQUIRED_SIGNATURE
  jne r0, 0, check_signers
  ldxb r1, [r6+IS_SIGNER]
  jeq r1, 0, fail

; Signer n of the new list is account n, has signed, and is a stored signer if there are stored keys. Or else it is the account itself.
check_signers:
  ldxdw r7, [r10-NEW]       ; r7: an entry of the new list
  mov64 r8, 0               ; r8: signers up to it
next_signer:
  ldxdw r1, [r10-NEW_END]
  jge r7, r1, signers_checked
  ldxb r1, [r7+FLAG]
  jeq r1, 0, signer_checked
  add64 r8, 1
  mov64 r1, r7
  mov64 r2, r6
  add64 r2, KEY
  call is_same_key
  jeq r0, 1, check_own_signature
  ldxdw r1, [r10-ACCOUNT_COUNT]
  jge r8, r1, fail
  mov64 r1, r8
  lsh64 r1, 3
  add64 r1, r10
  ldxdw r2, [r1-ACCOUNTS]
  ldxb r1, [r2+IS_SIGNER]
  jeq r1, 0, fail
  mov64 r1, r7
  add64 r2, KEY
  call is_same_key
  jeq r0, 0, fail
  ldxdw r1, [r10-STORED]
  ldxdw r2, [r10-STORED_END]
  jeq r1, r2, signer_checked
  mov64 r3, r7
  call has_entry
  jeq r0, 0, fail
  ja signer_checked
check_own_signature:
  ldxb r1, [r6+IS_SIGNER]
  jeq r1, 0, fail
signer_checked:
  add64 r7, ENTRY
  ja next_signer
signers_checked:

; No entry comes twice. A key may, with and without its flag.
  mov64 r9, INVALID_ARGUMENT
  ldxdw r7, [r10-NEW]
next_entry:
  ldxdw r2, [r10-NEW_END]
  jge r7, r2, entries_differ
  mov64 r3, r7
  add64 r7, ENTRY
  mov64 r1, r7
  call has_entry
  jeq r0, 0, next_entry
  ja fail
entries_differ:

; There are at least as many signers as before, and the account has room for the instruction and is writable.
  mov64 r9, MISSING_REQUIRED_SIGNATURE
  ldxdw r1, [r10-STORED_SIGNERS]
  jgt r1, r8, fail
  mov64 r9, INVALID_INSTRUCTION_DATA
  ldxdw r3, [r10-STORE_LENGTH]
  ldxdw r1, [r6+DATA_LENGTH]
  jgt r3, r1, fail
  mov64 r9, CUSTOM_0
  ldxb r1, [r6+IS_WRITABLE]
  jeq r1, 0, fail

; Copies the instruction to the account.
  ldxdw r1, [r10-NEW]
  sub64 r1, 1
  mov64 r2, r6
  add64 r2, DATA
copy_word:
  jlt r3, 8, copy_byte
  ldxdw r4, [r1+0]
  stxdw [r2+0], r4
  add64 r1, 8
  add64 r2, 8
  sub64 r3, 8
  ja copy_word
copy_byte:
  mov64 r0, 0
  jeq r3, 0, end
  ldxb r4, [r1+0]
  stxb [r2+0], r4
  add64 r1, 1
  add64 r2, 1
  sub64 r3, 1
  ja copy_byte
fail:
  mov64 r0, r9
  lsh64 r0, 32
end:
  exit

; Gives the number of signers in the list of r2 entries at r1 in r0, and its end in r2. r0 is -1 if it is longer than r3 bytes or a flag is
; neither 0 nor 1.
read_list:
  mov64 r0, -1
  mul64 r2, ENTRY
  jgt r2, r3, list_read
  add64 r2, r1
  mov64 r0, 0
next_flag:
  jge r1, r2, list_read
  ldxb r3, [r1+FLAG]
  jgt r3, 1, flag_invalid
  add64 r0, r3
  add64 r1, ENTRY
  ja next_flag
flag_invalid:
  mov64 r0, -1
list_read:
  exit

; Tells in r0 if the list from r1 to r2 has an entry like that at r3.
has_entry:
  mov64 r6, r1
  mov64 r7, r2
  mov64 r8, r3
compare_entry:
  mov64 r0, 0
  jge r6, r7, entry_compared
  mov64 r1, r6
  mov64 r2, r8
  call is_same_key
  ldxb r1, [r6+FLAG]
  ldxb r2, [r8+FLAG]
  add64 r6, ENTRY
  jne r1, r2, compare_entry
  jeq r0, 0, compare_entry
entry_compared:
  exit

; Tells in r0 if the 32 bytes at r1 and r2 are the same.
is_same_key:
  mov64 r0, 0
  ldxdw r3, [r1+0]
  ldxdw r4, [r2+0]
  jne r3, r4, keys_compared
  ldxdw r3, [r1+8]
  ldxdw r4, [r2+8]
  jne r3, r4, keys_compared
  ldxdw r3, [r1+16]
  ldxdw r4, [r2+16]
  jne r3, r4, keys_compared
  ldxdw r3, [r1+24]
  ldxdw r4, [r2+24]
  jne r3, r4, keys_compared
  mov64 r0, 1
keys_compared:
  exit
`;
