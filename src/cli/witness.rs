//! `plimsoll witness`: what an input of a fuzzer stands for.

use std::fs;
use std::path::Path;

use super::WitnessArgs;
use super::candidates::Profile;
use super::files::is_no_folder;
use super::screen::{Failure, cannot, print, usage};
use crate::fuzz::{Input, witness_of};
use crate::{Contract, Witness};

pub(super) fn witness(args: &WitnessArgs) -> Result<u8, Failure> {
    is_no_folder(&args.file)?;
    let bytes = fs::read(&args.file).map_err(|error| cannot(format!("{}: {error}", args.file.display())))?;
    let contract = match (&args.contract, &args.profile) {
        (Some(path), _) => Some(read_contract(path)?),
        (None, Some(name)) => Some(Profile::find(name)?.contract()?),
        (None, None) => None,
    };
    let readable = std::str::from_utf8(&bytes).ok().and_then(|text| Witness::parse(text).ok());
    let mut witness = match (readable, args.input) {
        (Some(witness), _) => witness,
        (None, Some(input)) => witness_of(input, contract.as_ref().unwrap_or(&Contract::default()), &bytes),
        (None, None) => {
            let all: Vec<&str> = Input::ALL.iter().map(|input| input.name()).collect();
            return Err(usage(format!(
                "{} is not a trace file: say with --input what its bytes stand for ({}), and with --contract or --profile \
                 under which contract",
                args.file.display(),
                all.join(", ")
            )));
        }
    };
    if let Some(contract) = contract {
        witness.contract = contract;
    }
    print(&witness.render(None));
    Ok(0)
}

/// A contract in a file of its own, or that of a JSON report.
fn read_contract(path: &Path) -> Result<Contract, Failure> {
    let named = |error: String| cannot(format!("{}: {error}", path.display()));
    is_no_folder(path)?;
    let text = fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| named(error.to_string()))?;
    let contract = value.get("contract").cloned().unwrap_or(value);
    Contract::from_value(contract).map_err(|error| named(error.to_string()))
}
