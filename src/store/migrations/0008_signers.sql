CREATE TABLE "signer_tombstones" (
	"signer" "bytea" NOT NULL,
	"seq" bigint NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	CONSTRAINT "signer_tombstones_signer_seq_pk" PRIMARY KEY("signer","seq")
);
--> statement-breakpoint
CREATE TABLE "signers" (
	"public_key" "bytea" PRIMARY KEY NOT NULL,
	"tombstones" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"signature" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE INDEX "signer_tombstones_fingerprint" ON "signer_tombstones" USING btree ("fingerprint");--> statement-breakpoint
CREATE FUNCTION "refuse_change_of_tombstones"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('keyslot.adopting', true) = 'on' THEN
		RETURN NULL;
	END IF;
	RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER "signer_tombstones_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "signer_tombstones" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_tombstones"();
