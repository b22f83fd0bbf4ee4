CREATE TABLE "key_intents" (
	"wallet_id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ALTER COLUMN "owner_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "claim_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "work_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "work_id" uuid;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "work_seq" integer;--> statement-breakpoint
ALTER TABLE "key_intents" ADD CONSTRAINT "key_intents_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_intents_owner" ON "key_intents" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "wallets_work" ON "wallets" USING btree ("work_id","work_seq") WHERE work_id is not null;