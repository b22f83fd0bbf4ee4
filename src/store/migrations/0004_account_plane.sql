CREATE TABLE "access_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"prefix" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "access_tokens_digest_size" CHECK (octet_length(digest) = 32),
	CONSTRAINT "access_tokens_scopes" CHECK (cardinality(scopes) > 0)
);
--> statement-breakpoint
CREATE TABLE "gateways" (
	"id" uuid PRIMARY KEY NOT NULL,
	"machine" text NOT NULL,
	"pid" integer NOT NULL,
	"started" text NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"owner_id" uuid NOT NULL,
	"status" integer,
	"body" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "two_factors" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"last_step" integer,
	"failures" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp (3) with time zone,
	"enrolled_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_create_limits" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "wallet_create_limits_requests" CHECK (requests > 0)
);
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"account_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"public_key" "bytea" NOT NULL,
	"signature" "bytea" NOT NULL,
	CONSTRAINT "audit_heads_account_id_seq_pk" PRIMARY KEY("account_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_records" (
	"account_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"action" text NOT NULL,
	"outcome" text NOT NULL,
	"token_id" uuid,
	"request_id" text NOT NULL,
	"wallet_id" text,
	"units" integer DEFAULT 1 NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_records_account_id_seq_pk" PRIMARY KEY("account_id","seq"),
	CONSTRAINT "audit_records_seq" CHECK (seq > 0)
);
--> statement-breakpoint
CREATE TABLE "audit_tips" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"signed_seq" bigint DEFAULT 0 NOT NULL,
	"unsigned_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "ledger_accounts" (
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"balance" bigint DEFAULT 0 NOT NULL,
	"floor" bigint,
	CONSTRAINT "ledger_accounts_account_id_kind_pk" PRIMARY KEY("account_id","kind"),
	CONSTRAINT "ledger_accounts_kind" CHECK (kind in ('available', 'reserved', 'revenue', 'funding')),
	CONSTRAINT "ledger_accounts_floor" CHECK (floor is null or balance >= floor)
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"transaction_id" bigint NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"amount" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	CONSTRAINT "ledger_entries_transaction_id_kind_pk" PRIMARY KEY("transaction_id","kind"),
	CONSTRAINT "ledger_entries_amount" CHECK (amount <> 0)
);
--> statement-breakpoint
CREATE TABLE "ledger_transactions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_transactions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"reservation_id" uuid,
	"operation" text,
	"units" bigint,
	"month" text,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ledger_transactions_kind" CHECK (kind in ('credit', 'test_credit', 'reserve', 'charge', 'refund'))
);
--> statement-breakpoint
CREATE TABLE "operation_counts" (
	"account_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"month" text NOT NULL,
	"units" bigint NOT NULL,
	CONSTRAINT "operation_counts_account_id_operation_month_pk" PRIMARY KEY("account_id","operation","month")
);
--> statement-breakpoint
CREATE TABLE "reservations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"month" text NOT NULL,
	"units" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"delivered" bigint DEFAULT 0 NOT NULL,
	"charged" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	CONSTRAINT "reservations_bounds" CHECK (delivered between 0 and units and charged between 0 and amount)
);
--> statement-breakpoint
CREATE TABLE "derivation_tombstones" (
	"master_id" text NOT NULL,
	"x" bigint NOT NULL,
	"y" bigint NOT NULL,
	"destroyed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "derivation_tombstones_master_id_x_y_pk" PRIMARY KEY("master_id","x","y")
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"address" text NOT NULL,
	"kind" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"sealed" "bytea",
	"protection" text NOT NULL,
	"derivation_path" text,
	"master_id" text,
	"x" bigint,
	"y" bigint,
	"label" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "wallets_address" UNIQUE("address"),
	CONSTRAINT "wallets_derived" UNIQUE("master_id","x","y"),
	CONSTRAINT "wallets_kind" CHECK (kind in ('single', 'master', 'child')),
	CONSTRAINT "wallets_public_key_size" CHECK (octet_length(public_key) = 32),
	CONSTRAINT "wallets_child" CHECK ((kind = 'child') = (master_id is not null) and (master_id is null) = (x is null) and (x is null) = (y is null)),
	CONSTRAINT "wallets_indexes" CHECK (x between 0 and 2147483647 and y between 0 and 2147483647)
);
--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "two_factors" ADD CONSTRAINT "two_factors_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallet_create_limits" ADD CONSTRAINT "wallet_create_limits_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_records" ADD CONSTRAINT "audit_records_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_tips" ADD CONSTRAINT "audit_tips_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_accounts" ADD CONSTRAINT "ledger_accounts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_transaction_id_ledger_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "ledger_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_ledger_account" FOREIGN KEY ("account_id","kind") REFERENCES "ledger_accounts"("account_id","kind") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_transactions" ADD CONSTRAINT "ledger_transactions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operation_counts" ADD CONSTRAINT "operation_counts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_tokens_digest" ON "access_tokens" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "access_tokens_account" ON "access_tokens" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "audit_records_wallet" ON "audit_records" USING btree ("wallet_id");--> statement-breakpoint
CREATE INDEX "ledger_transactions_account" ON "ledger_transactions" USING btree ("account_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_transactions_one_test_credit" ON "ledger_transactions" USING btree ("account_id") WHERE kind = 'test_credit';--> statement-breakpoint
CREATE INDEX "reservations_open" ON "reservations" USING btree ("owner_id") WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX "wallets_account" ON "wallets" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER "ledger_transactions_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_transactions" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
CREATE TRIGGER "ledger_entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
CREATE TRIGGER "audit_records_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_records" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
CREATE TRIGGER "audit_heads_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_heads" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
--> statement-breakpoint
CREATE FUNCTION "require_balance"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM inserted GROUP BY transaction_id HAVING sum(amount) <> 0) THEN
		RAISE EXCEPTION 'the entries of a transaction do not sum to zero' USING ERRCODE = 'check_violation';
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "ledger_entries_balanced" AFTER INSERT ON "ledger_entries" REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION "require_balance"();
