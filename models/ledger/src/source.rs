//! Finds, in a file of the source, every token that the ledger must account
//! for.

use std::ops::Range;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Calls that other threads may see, that wait for them, or that make one of
/// the structural steps of the protocol.
const CALLS: [&str; 26] = [
    "compare_exchange",
    "compare_exchange_weak",
    "compiler_fence",
    "drain_with",
    "empty_into",
    "fence",
    "fence_all",
    "from_raw",
    "get_or",
    "get_or_init",
    "heavy",
    "heavy_fence",
    "lease",
    "light",
    "light_fence",
    "load",
    "lock",
    "membarrier",
    "pause",
    "prepare",
    "register",
    "store",
    "swap",
    "take_batch",
    "wait_out",
    "with_mut",
];

/// As [`CALLS`], but only as methods: `with` is too common a word.
const METHODS: [&str; 1] = ["with"];

/// The orderings of the language, strongest last.
pub const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// A file of the source.
#[derive(Debug)]
pub struct Source {
    /// All of it.
    pub text: String,
    /// Its functions, `unsafe impl`s and macros, tests left out.
    pub functions: Vec<Function>,
    /// What needs a row.
    pub sites: Vec<Site>,
}

/// A place that the ledger can name.
#[derive(Debug, Clone)]
pub struct Function {
    /// Such as `Striped::lease` or `<Recorder as Drop>::drop`.
    pub name: String,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

/// A token that needs a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The function it is in.
    pub function: String,
    /// What it is.
    pub token: Token,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

/// What needs a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A call of this name.
    Call(String),
    /// An ordering, and the call that it is an argument of.
    Ordering {
        /// Its name.
        name: String,
        /// The call's name.
        of: String,
    },
    /// `unsafe`.
    Unsafe,
}

impl Source {
    /// Reads a file of Rust.
    ///
    /// # Errors
    ///
    /// If it does not parse.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| error.to_string())?;
        let mut finder = Finder::default();
        finder.visit_file(&file);
        Ok(Self {
            text: text.to_owned(),
            functions: finder.functions,
            sites: finder.sites,
        })
    }

    /// Where `code` is in the functions called `name`.
    ///
    /// # Errors
    ///
    /// If it is not there exactly once.
    pub fn locate(&self, name: &str, code: &str) -> Result<Range<usize>, String> {
        let named = self.functions.iter().filter(|known| known.name == name);
        let found: Vec<Range<usize>> = named
            .flat_map(|known| {
                let inside = self.text[known.range.clone()].match_indices(code);
                let begin = known.range.start;
                inside.map(move |(at, _)| begin + at..begin + at + code.len())
            })
            .collect();
        match found.as_slice() {
            [range] => Ok(range.clone()),
            [] if !self.functions.iter().any(|known| known.name == name) => {
                Err(format!("there is no function {name}"))
            }
            many => Err(format!(
                "`{code}` is in {name} {} times, not once",
                many.len()
            )),
        }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.text[..byte].matches('\n').count() + 1
    }
}

#[derive(Default)]
struct Finder {
    /// The modules, implementations and traits around.
    scope: Vec<String>,
    functions: Vec<Function>,
    sites: Vec<Site>,
}

impl Finder {
    fn inside(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        visit(self);
        self.scope.pop();
    }

    fn function(&mut self, name: &str, whole: Span, body: TokenStream) {
        let mut path = self.scope.clone();
        path.push(name.to_owned());
        let name = path.join("::");
        self.scan(&name, body, "");
        let range = whole.byte_range();
        self.functions.push(Function { name, range });
    }

    /// Finds the sites in the arguments or body of `call`.
    fn scan(&mut self, function: &str, tokens: TokenStream, call: &str) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).map(|at| &tokens[at]);
            match token {
                TokenTree::Group(group) => {
                    let callee = match (group.delimiter(), before(1)) {
                        (Delimiter::Parenthesis, Some(TokenTree::Ident(callee))) => {
                            callee.to_string()
                        }
                        _ => call.to_owned(),
                    };
                    self.scan(function, group.stream(), &callee);
                }
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    let next = tokens.get(index + 1);
                    if let Some(token) = classify(&word, before(1), next, call) {
                        self.site(function, token, tokens[index].span());
                    }
                }
                _ => {}
            }
        }
    }

    fn site(&mut self, function: &str, token: Token, span: Span) {
        self.sites.push(Site {
            function: function.to_owned(),
            token,
            range: span.byte_range(),
        });
    }
}

fn classify(
    word: &str,
    before: Option<&TokenTree>,
    next: Option<&TokenTree>,
    call: &str,
) -> Option<Token> {
    if word == "unsafe" {
        return Some(Token::Unsafe);
    }
    if ORDERINGS.contains(&word) {
        return Some(Token::Ordering {
            name: word.to_owned(),
            of: call.to_owned(),
        });
    }
    let is_called = matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    let is_defined = matches!(before, Some(TokenTree::Ident(word)) if word == "fn");
    let is_method = matches!(before, Some(TokenTree::Punct(punct)) if punct.as_char() == '.');
    let counts = CALLS.contains(&word)
        || word.starts_with("fetch_")
        || (is_method && METHODS.contains(&word));
    (is_called && !is_defined && counts).then(|| Token::Call(word.to_owned()))
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(attribute.parse_args::<syn::Path>(), Ok(path) if path.is_ident("test"))
    })
}

/// The last word of a type's path.
fn type_name(of: &syn::Type) -> String {
    match of {
        syn::Type::Path(path) => last(&path.path),
        _ => "_".to_owned(),
    }
}

fn last(path: &syn::Path) -> String {
    let segment = path.segments.last();
    segment
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            self.inside(module.ident.to_string(), |finder| {
                visit::visit_item_mod(finder, module);
            });
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.inside(item.ident.to_string(), |finder| {
            visit::visit_item_trait(finder, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = type_name(&item.self_ty);
        let implemented = item.trait_.as_ref().map(|(path, ..)| last(path));
        if let (Some(unsafety), Some(implemented)) = (&item.unsafety, &implemented) {
            let name = format!("unsafe impl {implemented} for {of}");
            self.site(&name, Token::Unsafe, unsafety.span());
            let range = item.span().byte_range();
            self.functions.push(Function { name, range });
        }
        let name = match implemented {
            Some(implemented) => format!("<{of} as {implemented}>"),
            None => of,
        };
        self.inside(name, |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        use quote::ToTokens;
        let name = item.sig.ident.to_string();
        self.function(&name, item.span(), item.block.to_token_stream());
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        use quote::ToTokens;
        let name = item.sig.ident.to_string();
        self.function(&name, item.span(), item.block.to_token_stream());
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        use quote::ToTokens;
        let body = item.default.as_ref();
        let body = body.map(ToTokens::to_token_stream).unwrap_or_default();
        self.function(&item.sig.ident.to_string(), item.span(), body);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let name = item.ident.as_ref().map(ToString::to_string);
        let name = format!("{}!", name.unwrap_or_else(|| last(&item.mac.path)));
        self.function(&name, item.span(), item.mac.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        struct S;
        impl S {
            fn flip(&self) { self.epoch.store(1, Ordering::Release); self.go(); }
        }
        unsafe impl Sync for S {}
        macro_rules! same { ($a:ident) => { fn load(&self) -> u64 { self.load(order) } } }
        #[cfg(test)]
        mod tests { fn flip() { x.load(Relaxed) } }
    ";

    #[test]
    fn finds_calls_orderings_and_unsafe_outside_tests() {
        let source = Source::parse(TEXT).expect("it is Rust");
        let found: Vec<_> = source
            .sites
            .iter()
            .map(|site| (site.function.as_str(), &source.text[site.range.clone()]))
            .collect();
        let expected = [
            ("S::flip", "store"),
            ("S::flip", "Release"),
            ("unsafe impl Sync for S", "unsafe"),
            ("same!", "load"),
        ];
        assert_eq!(found, expected);
        let Token::Ordering { of, .. } = &source.sites[1].token else {
            panic!("an ordering")
        };
        assert_eq!(of, "store");
    }

    #[test]
    fn locates_what_is_there_once() {
        let source = Source::parse(TEXT).expect("it is Rust");
        assert!(source.locate("S::flip", "self.go();").is_ok());
        for (function, code) in [("S::flip", "self."), ("S::flip", "no"), ("S::gone", "self")] {
            assert!(source.locate(function, code).is_err());
        }
    }
}
