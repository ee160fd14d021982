//! What can be said about a sentence. The names are those of `corpus/GUIDE.md`, which explains them.

macro_rules! labels {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "named as in the guide of the corpus")]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All of them, in the order of the weights.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in the corpus.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The label of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|label| label.name() == name)
            }
        }
    };
}

labels! {
    /// What kind of memory a kept sentence makes.
    Kind {
        Fact "fact", Preference "pref", Wish "wish", Rule "rule", Plan "plan", Event "event", Knowledge "know",
    }
}

labels! {
    /// Whom a sentence is about: the person who writes, somebody else in their life, or nobody who counts.
    Owner {
        Me "me", Other "other", Pasted "pasted", Quoted "quoted", Fiction "fiction", RolePlay "roleplay",
        Dream "dream", Game "game", Hypothetical "hypo", Question "question", Joke "joke", Template "template",
        Task "task",
    }
}

labels! {
    /// Whether what a sentence states is so, is not so, is so no longer, or repairs what was said.
    Polarity {
        Holds "holds", Denies "denies", Ends "ends", Corrects "corrects",
    }
}

labels! {
    /// What a statement fills or ends.
    Slot {
        Name "name", Nickname "nickname", Pronouns "pronouns", Age "age", Birthday "birthday", Hometown "hometown",
        Residence "residence", Address "address", Nationality "nationality", Language "language", Phone "phone",
        Email "email", Employer "employer", Occupation "occupation", Schedule "schedule", School "school",
        Subject "subject", Qualification "qualification", Partner "partner", Child "child", Parent "parent",
        Sibling "sibling", Relative "relative", Friend "friend", Colleague "colleague", Boss "boss", Pet "pet",
        Home "home", Car "car", Bike "bike", Device "device", Possession "possession", Diet "diet",
        Allergy "allergy", Food "food", Drink "drink", Favourite "favourite", Hobby "hobby", Sport "sport",
        Instrument "instrument", Music "music", Book "book", Film "film", Doctor "doctor", Health "health",
        Medication "medication", Mobility "mobility", Sleep "sleep", Appointment "appointment", Trip "trip",
        Event "event", Deadline "deadline", Plan "plan", Goal "goal", Habit "habit", Skill "skill",
        Membership "membership", Religion "religion", Politics "politics", Money "money", Tool "tool",
        Style "style", Project "project", Convention "convention",
    }
}

impl Owner {
    /// Whether the statement belongs to the person or to somebody in their life.
    pub const fn is_somebody(self) -> bool {
        matches!(self, Self::Me | Self::Other)
    }
}

/// One of the questions that the judge answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Head {
    /// Is it worth keeping?
    Keep,
    /// Is it true for hours or days only?
    Momentary,
    /// Must the person consent before it is kept?
    Sensitive,
    /// [`Kind`]
    Kind,
    /// [`Owner`]
    Owner,
    /// [`Polarity`]
    Polarity,
    /// [`Slot`], or none
    Slot,
}

impl Head {
    /// All of them, in the order of the weights.
    pub const ALL: [Self; 7] =
        [Self::Keep, Self::Momentary, Self::Sensitive, Self::Kind, Self::Owner, Self::Polarity, Self::Slot];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Momentary => "now",
            Self::Sensitive => "sens",
            Self::Kind => "kind",
            Self::Owner => "owner",
            Self::Polarity => "polarity",
            Self::Slot => "slot",
        }
    }

    /// Its number of outputs: one of yes or no, else one for each label. The first of a slot means none.
    pub const fn width(self) -> usize {
        match self {
            Self::Keep | Self::Momentary | Self::Sensitive => 1,
            Self::Kind => Kind::ALL.len(),
            Self::Owner => Owner::ALL.len(),
            Self::Polarity => Polarity::ALL.len(),
            Self::Slot => Slot::ALL.len() + 1,
        }
    }

    /// Its first output.
    pub const fn start(self) -> usize {
        let mut start = 0;
        let mut index = 0;
        while index < self as usize {
            start += Self::ALL[index].width();
            index += 1;
        }
        start
    }

    /// Its outputs among all.
    pub const fn outputs(self) -> std::ops::Range<usize> {
        self.start()..self.start() + self.width()
    }
}

/// The number of outputs of all heads.
pub const OUTPUTS: usize = Head::Slot.start() + Head::Slot.width();
